import type { Command } from 'commander';
import type { CommandTask } from '../commands/run-command.js';
import type { KeyOptions } from '../storage/data-options.js';
import type { DataFlags, DataOptionReader, KeyFlags } from './data-option-reader.js';

interface SlotFlags {
  readonly slot: string;
}

interface NewSlotFlags extends SlotFlags {
  readonly publicKey: string;
}

/** Adds `keys list`, `keys add` and `keys delete`. */
export function addKeyCommands(program: Command, reader: DataOptionReader, take: (task: CommandTask) => void): void {
  const keys = program.command('keys').description('who can open encrypted data: one slot for each private key');

  const list = keys
    .command('list')
    .description('name the slots')
    .action(({ data }: DataFlags) => take({ name: 'keys list', folder: data }));
  reader.addData(list, false);

  const add = keys
    .command('add')
    .description('let another private key open the data')
    .requiredOption('--slot <name>', 'the new slot')
    .requiredOption('--public-key <file>', 'its OpenPGP key', reader.path)
    .action((flags: DataFlags & KeyFlags & NewSlotFlags, command: Command) => {
      const { data: folder, slot, publicKey: publicKeyFile } = flags;
      take({ name: 'keys add', folder, slot, publicKeyFile, key: neededKey(flags, command, reader) });
    });
  reader.addData(add, false);
  reader.addKey(add, 'a private key that opens the data already');

  const remove = keys
    .command('delete')
    .description('take a slot away; the last one stays')
    .requiredOption('--slot <name>', 'the slot')
    .action((flags: DataFlags & KeyFlags & SlotFlags, command: Command) => {
      const { data: folder, slot } = flags;
      take({ name: 'keys delete', folder, key: { ...neededKey(flags, command, reader), slot } });
    });
  reader.addData(remove, false);
  reader.addKeyFile(remove, 'the private key of this slot');
}

function neededKey(flags: KeyFlags, command: Command, reader: DataOptionReader): KeyOptions {
  const key = reader.keyOf(flags, command);
  return key ?? command.error("error: required option '--encrypt <key file>' not specified");
}
