import type { Command } from 'commander';
import type { CommandTask } from '../commands/run-command.js';
import { addDataFlag, addKeyFlags, type DataFlags, type KeyFlags, keyOptionsOf } from './data-flags.js';
import { pathFrom } from './option-values.js';
import type { Surroundings } from './surroundings.js';

const decodes = 'the OpenPGP private key of encrypted data';

/** `backup`, `verify` and `repair`. */
export function addStoreCommands(
  program: Command,
  surroundings: Surroundings,
  take: (task: CommandTask) => void,
): void {
  const path = pathFrom(surroundings.workingFolder ?? process.cwd());

  const backup = program
    .command('backup')
    .description('copy the data, while the app is stopped, to a folder that --data can name')
    .argument('<folder>', 'is made; it must not exist, or be empty', path)
    .action((into: string, flags: DataFlags) => take({ name: 'backup', folder: flags.data, into }));
  addDataFlag(backup, surroundings, false);

  const verify = program
    .command('verify')
    .description('check every byte of the data, while the app is stopped, and change nothing')
    .action((flags: DataFlags & KeyFlags, command: Command) =>
      take({ name: 'verify', folder: flags.data, key: keyOptionsOf(flags, command, surroundings) }),
    );
  addDataFlag(verify, surroundings, false);
  addKeyFlags(verify, surroundings, `${decodes}; without it, records are not decrypted`);

  const repair = program
    .command('repair')
    .description('make new data of what can be read of damaged data, which stays as it is')
    .argument('<folder>', 'is made; it must not exist, or be empty', path)
    .action((into: string, flags: DataFlags & KeyFlags, command: Command) =>
      take({ name: 'repair', folder: flags.data, into, key: keyOptionsOf(flags, command, surroundings) }),
    );
  addDataFlag(repair, surroundings, false);
  addKeyFlags(repair, surroundings, decodes);
}
