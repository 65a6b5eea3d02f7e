import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { StepResultSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { workflowsNamespace } from './namespace.js';

/** One execution of a step as it is. Has the id and the labels of its StepRun. */
export const StepResult = defineResource({
  type: 'StepResults.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: messageSpec(StepResultSpecSchema),
  printColumns: [
    { name: 'State', jsonPath: '{.state}' },
    { name: 'Attempt', jsonPath: '{.attempt}' },
    { name: 'Started', jsonPath: '{.startedAt}' },
    { name: 'Ended', jsonPath: '{.endedAt}' },
    { name: 'Waiting for', jsonPath: '{.waitingFor}' },
    { name: 'Error', jsonPath: '{.error.message}' },
  ],
});
