import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { SecretSpecSchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { workflowsNamespace } from './namespace.js';

/** Texts that steps need and nobody should see. */
export const Secret = defineResource({
  type: 'Secrets.workflows.cosi.dev',
  namespace: workflowsNamespace,
  spec: messageSpec(SecretSpecSchema),
  sensitivity: 'sensitive',
});
