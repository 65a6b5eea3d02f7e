import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { ScheduleStatusSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { workflowsNamespace } from './namespace.js';

/** A schedule as it is. Has the id of its Schedule. */
export const ScheduleStatus = defineResource({
  type: 'ScheduleStatuses.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: messageSpec(ScheduleStatusSpecSchema),
  printColumns: [
    { name: 'Last', jsonPath: '{.lastAt}' },
    { name: 'Next', jsonPath: '{.nextAt}' },
    { name: 'Last run', jsonPath: '{.lastRun}' },
    { name: 'Message', jsonPath: '{.message}' },
  ],
});
