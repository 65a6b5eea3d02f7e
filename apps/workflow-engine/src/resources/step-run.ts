import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { StepRunSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { workflowsNamespace } from './namespace.js';

/** One execution of a step as it is wanted, with the newest of its attempts. */
export const StepRun = defineResource({
  type: 'StepRuns.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: messageSpec(StepRunSpecSchema),
  printColumns: [
    { name: 'Run', jsonPath: '{.run}' },
    { name: 'Step', jsonPath: '{.step}' },
    { name: 'Index', jsonPath: '{.index}' },
    { name: 'Attempt', jsonPath: '{.attempt}' },
    { name: 'Worker', jsonPath: '{.worker}' },
  ],
});
