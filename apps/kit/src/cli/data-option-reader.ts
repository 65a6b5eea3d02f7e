import { type Command, Option } from 'commander';
import { type DataOptions, defaultSlot, type KeyOptions } from '../storage/data-options.js';
import type { DataProfile } from '../storage/data-profile.js';
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

/** The options that say where data is, and what opens it: adds them to commands, and reads them. */
export class DataOptionReader {
  readonly #profile: DataProfile;
  readonly #surroundings: Surroundings;
  /** Reads a path as it was typed. */
  readonly path: (text: string) => string;

  constructor(profile: DataProfile, surroundings: Surroundings) {
    this.#profile = profile;
    this.#surroundings = surroundings;
    this.path = pathFrom(surroundings.workingFolder ?? process.cwd());
  }

  /** Adds `--data`. */
  addData(command: Command, canBeMemory: boolean): void {
    const flag = canBeMemory
      ? new Option('--data <folder>', `where all is kept; "${inMemory}": nowhere, it ends with the process`)
      : new Option('--data <folder>', 'the data folder');
    flag.argParser((text: string) => (canBeMemory && text === inMemory ? text : this.path(text)));
    command.addOption(flag.default(this.#surroundings.dataFolder));
  }

  /** Adds `--encrypt`, and what tells how that key is used. */
  addKey(command: Command, what: string): void {
    this.addKeyFile(command, what);
    command.option('--key-slot <name>', `the slot that this key opens (default: "${defaultSlot}")`);
  }

  /** Adds `--encrypt`, for a slot that is named otherwise. */
  addKeyFile(command: Command, what: string): void {
    const { passphraseVariable } = this.#profile;
    command
      .option('--encrypt <key file>', what, this.path)
      .option(
        '--passphrase-file <file>',
        `holds the key's passphrase (default: the variable ${passphraseVariable})`,
        this.path,
      );
  }

  /** What opens the data; undefined: it is not encrypted. Ends the parsing of flags that say nothing together. */
  keyOf({ encrypt, keySlot, passphraseFile }: KeyFlags, command: Command): KeyOptions | undefined {
    if (encrypt !== undefined) {
      if (keySlot === '') command.error("error: option '--key-slot <name>': a slot needs a name");
      const { environment = process.env } = this.#surroundings;
      const passphrase = { file: passphraseFile, text: environment[this.#profile.passphraseVariable] };
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

  /** How data is kept; undefined: in memory. Ends the parsing of flags that say nothing together. */
  dataOf(flags: DataFlags & KeyFlags, command: Command): DataOptions | undefined {
    const key = this.keyOf(flags, command);
    if (flags.data !== inMemory) return { folder: flags.data, key };
    if (key !== undefined) command.error('error: data that is kept in memory is not encrypted: leave out --encrypt');
    return undefined;
  }
}
