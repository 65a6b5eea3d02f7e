import type { Logger } from '@cosi-ts/runtime';
import { StartError } from '../start-error.js';
import { DataFolder } from '../storage/data-folder.js';
import type { KeyOptions } from '../storage/data-options.js';
import type { DataProfile } from '../storage/data-profile.js';
import { addKeySlot, deleteKeySlot, listKeySlots } from './key-commands.js';
import { backUpStore, repairStore, verifyStore } from './store-commands.js';

/** Something to be done about the data, instead of running the app. */
export type CommandTask = { readonly folder: string } & (
  | { readonly name: 'backup'; readonly into: string }
  | { readonly name: 'verify'; readonly key: KeyOptions | undefined }
  | { readonly name: 'repair'; readonly into: string; readonly key: KeyOptions | undefined }
  | { readonly name: 'keys list' }
  | { readonly name: 'keys add'; readonly slot: string; readonly publicKeyFile: string; readonly key: KeyOptions }
  | { readonly name: 'keys delete'; readonly key: KeyOptions }
);

/** What a command has to say. */
export interface Outcome {
  readonly lines: readonly string[];
  /** Whether all is well. A command that cannot be done throws instead. */
  readonly ok: boolean;
}

/** Throws {@link StartError} for everything that a user can put right. */
export async function runCommand(profile: DataProfile, task: CommandTask, logger: Logger): Promise<Outcome> {
  const folder = new DataFolder(profile, task.folder);
  switch (task.name) {
    case 'backup':
      return backUpStore(folder, task.into, logger);
    case 'verify':
      return verifyStore(folder, task.key, logger);
    case 'repair':
      return repairStore(folder, task.into, task.key, logger);
    case 'keys list':
      return listKeySlots(folder);
    case 'keys add':
      return addKeySlot(folder, task);
    case 'keys delete':
      return deleteKeySlot(folder, task.key);
    default:
      throw new StartError(`there is no command ${JSON.stringify((task satisfies never as CommandTask).name)}`);
  }
}
