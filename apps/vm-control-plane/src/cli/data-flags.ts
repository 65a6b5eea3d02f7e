import { type Command, Option } from 'commander';
import { type DataOptions, defaultSlot, type KeyOptions, passphraseVariable } from '../storage/data-options.js';
import { pathFrom } from './option-values.js';
import type { Surroundings } from './surroundings.js';

/** The name that stands for no folder: data that ends with the process. */
const inMemory = 'memory';

export interface DataFlags {
  readonly data: string;
}

export interface KeyFlags {
  readonly encrypt?: string;
  readonly keySlot?: string;
  readonly passphraseFile?: string;
}

/** Adds `--data`. */
export function addDataFlag(command: Command, { dataFolder, workingFolder }: Surroundings, canBeMemory: boolean): void {
  const read = pathFrom(workingFolder ?? process.cwd());
  const flag = canBeMemory
    ? new Option('--data <folder>', `where all is kept; "${inMemory}": nowhere, it ends with the process`)
    : new Option('--data <folder>', 'the data folder');
  flag.argParser((text: string) => (canBeMemory && text === inMemory ? text : read(text)));
  command.addOption(flag.default(dataFolder));
}

/** Adds `--encrypt`, and what tells how that key is used. */
export function addKeyFlags(command: Command, surroundings: Surroundings, what: string): void {
  addKeyFileFlags(command, surroundings, what);
  command.option('--key-slot <name>', `the slot that this key opens (default: "${defaultSlot}")`);
}

/** Adds `--encrypt`, for a slot that is named otherwise. */
export function addKeyFileFlags(command: Command, { workingFolder }: Surroundings, what: string): void {
  const path = pathFrom(workingFolder ?? process.cwd());
  command
    .option('--encrypt <key file>', what, path)
    .option(
      '--passphrase-file <file>',
      `holds the key's passphrase (default: the variable ${passphraseVariable})`,
      path,
    );
}

/** The folder; undefined: the data is kept in memory. */
function dataFolderOf({ data }: DataFlags): string | undefined {
  return data === inMemory ? undefined : data;
}

/** What opens the data; undefined: it is not encrypted. Ends the parsing of flags that say nothing together. */
export function keyOptionsOf(
  { encrypt, keySlot, passphraseFile }: KeyFlags,
  command: Command,
  { environment = process.env }: Surroundings,
): KeyOptions | undefined {
  if (encrypt !== undefined) {
    if (keySlot === '') command.error("error: option '--key-slot <name>': a slot needs a name");
    const passphrase = { file: passphraseFile, text: environment[passphraseVariable] };
    return { file: encrypt, slot: keySlot ?? defaultSlot, passphrase };
  }
  for (const [flag, value] of [
    ['--key-slot', keySlot],
    ['--passphrase-file', passphraseFile],
  ]) {
    if (value !== undefined) command.error(`error: ${flag} says how the key of --encrypt is used, which is missing`);
  }
  return undefined;
}

export function dataOptionsOf(
  flags: DataFlags & KeyFlags,
  command: Command,
  surroundings: Surroundings,
): DataOptions | undefined {
  const folder = dataFolderOf(flags);
  const key = keyOptionsOf(flags, command, surroundings);
  if (folder !== undefined) return { folder, key };
  if (key !== undefined) command.error('error: data that is kept in memory is not encrypted: leave out --encrypt');
  return undefined;
}
