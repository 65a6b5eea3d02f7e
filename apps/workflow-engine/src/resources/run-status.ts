import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { RunStatusSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { workflowsNamespace } from './namespace.js';

/** A run as it is. Has the id and the labels of its WorkflowRun. */
export const RunStatus = defineResource({
  type: 'RunStatuses.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: messageSpec(RunStatusSpecSchema),
  printColumns: [
    { name: 'State', jsonPath: '{.state}' },
    { name: 'Started', jsonPath: '{.startedAt}' },
    { name: 'Ended', jsonPath: '{.endedAt}' },
    { name: 'Message', jsonPath: '{.message}' },
  ],
});
