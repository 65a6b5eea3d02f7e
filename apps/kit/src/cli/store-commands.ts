import type { Command } from 'commander';
import type { CommandTask } from '../commands/run-command.js';
import type { DataFlags, DataOptionReader, KeyFlags } from './data-option-reader.js';

const decodes = 'the OpenPGP private key of encrypted data';

/** Adds `backup`, `verify` and `repair`. */
export function addStoreCommands(program: Command, reader: DataOptionReader, take: (task: CommandTask) => void): void {
  const backup = program
    .command('backup')
    .description('copy the data, while the app is stopped, to a folder that --data can name')
    .argument('<folder>', 'is made; it must not exist, or be empty', reader.path)
    .action((into: string, flags: DataFlags) => take({ name: 'backup', folder: flags.data, into }));
  reader.addData(backup, false);

  const verify = program
    .command('verify')
    .description('check every byte of the data, while the app is stopped, and change nothing')
    .action((flags: DataFlags & KeyFlags, command: Command) =>
      take({ name: 'verify', folder: flags.data, key: reader.keyOf(flags, command) }),
    );
  reader.addData(verify, false);
  reader.addKey(verify, `${decodes}; without it, records are not decrypted`);

  const repair = program
    .command('repair')
    .description('make new data of what can be read of damaged data, which stays as it is')
    .argument('<folder>', 'is made; it must not exist, or be empty', reader.path)
    .action((into: string, flags: DataFlags & KeyFlags, command: Command) =>
      take({ name: 'repair', folder: flags.data, into, key: reader.keyOf(flags, command) }),
    );
  reader.addData(repair, false);
  reader.addKey(repair, decodes);
}
