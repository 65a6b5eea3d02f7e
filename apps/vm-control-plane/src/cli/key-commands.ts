import type { Command } from 'commander';
import type { CommandTask } from '../commands/run-command.js';
import type { KeyOptions } from '../storage/data-options.js';
import {
  addDataFlag,
  addKeyFileFlags,
  addKeyFlags,
  type DataFlags,
  type KeyFlags,
  keyOptionsOf,
} from './data-flags.js';
import { pathFrom } from './option-values.js';
import type { Surroundings } from './surroundings.js';

interface SlotFlags {
  readonly slot: string;
}

interface NewSlotFlags extends SlotFlags {
  readonly publicKey: string;
}

/** `keys list`, `keys add` and `keys delete`. */
export function addKeyCommands(program: Command, surroundings: Surroundings, take: (task: CommandTask) => void): void {
  const keys = program.command('keys').description('who can open encrypted data: one slot for each private key');

  const list = keys
    .command('list')
    .description('name the slots')
    .action(({ data }: DataFlags) => take({ name: 'keys list', folder: data }));
  addDataFlag(list, surroundings, false);

  const add = keys
    .command('add')
    .description('let another private key open the data')
    .requiredOption('--slot <name>', 'the new slot')
    .requiredOption('--public-key <file>', 'its OpenPGP key', pathFrom(surroundings.workingFolder ?? process.cwd()))
    .action((flags: DataFlags & KeyFlags & NewSlotFlags, command: Command) => {
      const { data: folder, slot, publicKey: publicKeyFile } = flags;
      take({ name: 'keys add', folder, slot, publicKeyFile, key: neededKey(flags, command, surroundings) });
    });
  addDataFlag(add, surroundings, false);
  addKeyFlags(add, surroundings, 'a private key that opens the data already');

  const remove = keys
    .command('delete')
    .description('take a slot away; the last one stays')
    .requiredOption('--slot <name>', 'the slot')
    .action((flags: DataFlags & KeyFlags & SlotFlags, command: Command) => {
      const { data: folder, slot } = flags;
      take({ name: 'keys delete', folder, key: { ...neededKey(flags, command, surroundings), slot } });
    });
  addDataFlag(remove, surroundings, false);
  addKeyFileFlags(remove, surroundings, 'the private key of this slot');
}

function neededKey(flags: KeyFlags, command: Command, surroundings: Surroundings): KeyOptions {
  const key = keyOptionsOf(flags, command, surroundings);
  return key ?? command.error("error: required option '--encrypt <key file>' not specified");
}
