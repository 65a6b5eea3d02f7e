import { messageSpec } from '@cosi-ts/proto';
import { type DeepReadonly, defineResource } from '@cosi-ts/resource';
import { type ScheduleSpec, ScheduleSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { checkCount, checkedSpec, checkJsonObject, checkOneOf, checkText } from './checked-spec.js';
import { workflowsNamespace } from './namespace.js';

const overlaps = ['allow', 'skip', 'replace'] as const;

/** Makes runs of a workflow at times. */
export const Schedule = defineResource({
  type: 'Schedules.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: checkedSpec(messageSpec(ScheduleSpecSchema), checkSchedule),
  printColumns: [
    { name: 'Workflow', jsonPath: '{.workflow}' },
    { name: 'Cron', jsonPath: '{.cron}' },
    { name: 'Time zone', jsonPath: '{.timeZone}' },
    { name: 'Suspended', jsonPath: '{.suspended}' },
  ],
});

function checkSchedule(spec: DeepReadonly<ScheduleSpec>): void {
  checkText('workflow', spec.workflow);
  checkText('cron', spec.cron);
  checkJsonObject('inputs', spec.inputs);
  if (spec.overlap !== '') checkOneOf('overlap', spec.overlap, overlaps);
  checkCount('catchUpMs', spec.catchUpMs);
}
