import { messageSpec } from '@cosi-ts/proto';
import { type DeepReadonly, defineResource } from '@cosi-ts/resource';
import { type WorkflowRunSpec, WorkflowRunSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { checkCount, checkedSpec, checkJsonObject, checkText } from './checked-spec.js';
import { workflowsNamespace } from './namespace.js';

/** One run of a workflow. Tearing it down cancels it. */
export const WorkflowRun = defineResource({
  type: 'WorkflowRuns.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: checkedSpec(messageSpec(WorkflowRunSpecSchema), checkWorkflowRun),
  aliases: ['run', 'runs'],
  printColumns: [
    { name: 'Workflow', jsonPath: '{.workflow}' },
    { name: 'Paused', jsonPath: '{.paused}' },
    { name: 'Retries', jsonPath: '{.retries}' },
    { name: 'Trigger', jsonPath: '{.trigger}' },
  ],
});

function checkWorkflowRun(spec: DeepReadonly<WorkflowRunSpec>): void {
  checkText('workflow', spec.workflow);
  checkText('source', spec.source);
  checkJsonObject('inputs', spec.inputs);
  checkCount('retries', spec.retries);
}
