import type { DataProfile } from '@cosi-ts/app-kit';
import { workflowRegistry } from './resources/registry.js';

/** The data of this app. Logs and artifacts are beside the store, and part of backups only when that is asked for. */
export const workflowData: DataProfile = {
  app: 'Workflow engine',
  passphraseVariable: 'WORKFLOW_PASSPHRASE',
  types: workflowRegistry,
  files: [],
};
