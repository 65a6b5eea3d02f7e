import { messageSpec } from '@cosi-ts/proto';
import { type DeepReadonly, defineResource } from '@cosi-ts/resource';
import { type SignalSpec, SignalSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { checkedSpec, checkJson, checkText } from './checked-spec.js';
import { workflowsNamespace } from './namespace.js';

/** Something that a run waits for: an approval, a refusal, or data. */
export const Signal = defineResource({
  type: 'Signals.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: checkedSpec(messageSpec(SignalSpecSchema), checkSignal),
  printColumns: [
    { name: 'Run', jsonPath: '{.run}' },
    { name: 'Name', jsonPath: '{.name}' },
    { name: 'By', jsonPath: '{.by}' },
  ],
});

function checkSignal(spec: DeepReadonly<SignalSpec>): void {
  checkText('run', spec.run);
  checkText('name', spec.name);
  checkJson('payload', spec.payload);
}
