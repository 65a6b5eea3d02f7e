import { messageSpec } from '@cosi-ts/proto';
import { type DeepReadonly, defineResource } from '@cosi-ts/resource';
import { type WorkerSpec, WorkerSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { checkCount, checkedSpec, checkText } from './checked-spec.js';
import { workflowsNamespace } from './namespace.js';

/** A process that executes steps, as long as it says that it is there. */
export const Worker = defineResource({
  type: 'Workers.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: checkedSpec(messageSpec(WorkerSpecSchema), checkWorker),
  printColumns: [
    { name: 'Executors', jsonPath: '{.executors}' },
    { name: 'Slots', jsonPath: '{.slots}' },
    { name: 'Beat', jsonPath: '{.beat}' },
  ],
});

function checkWorker(spec: DeepReadonly<WorkerSpec>): void {
  checkText('worker', spec.worker);
  checkCount('slots', spec.slots);
  checkCount('leaseMs', spec.leaseMs);
}
