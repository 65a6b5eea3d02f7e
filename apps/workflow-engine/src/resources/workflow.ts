import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { WorkflowSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { checkedSpec, checkText } from './checked-spec.js';
import { workflowsNamespace } from './namespace.js';

/** A workflow as its author wrote it. Its id is its name. */
export const Workflow = defineResource({
  type: 'Workflows.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: checkedSpec(messageSpec(WorkflowSpecSchema), ({ source }) => checkText('source', source)),
  aliases: ['wf'],
});
