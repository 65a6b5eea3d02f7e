import {
  addLogFlags,
  addServerFlags,
  type DataFlags,
  type DataOptionReader,
  integer,
  type KeyFlags,
  type LogFlags,
  logOptionsOf,
  type ServerFlags,
  serverOptionsOf,
} from '@cosi-ts/app-kit';
import { type Command, InvalidArgumentError as InvalidValue, Option } from 'commander';
import { type AppOptions, defaultGraceMs } from '../app-options.js';
import { defaultRetention, defaultSlots } from '../workflow-engine.js';
import { span } from './span.js';

export const defaultPort = 8090;

/** As good as without an end: what is added to a time still is one. */
export const everMs = 100 * 365 * 86_400_000;

interface ServeFlags extends ServerFlags, DataFlags, KeyFlags, LogFlags {
  readonly slots?: Readonly<Record<string, number>>;
  readonly grace: number;
  readonly keepRuns: number | 'all';
  readonly keepFor: number | 'ever';
}

/** Adds everything that can be said about how the engine runs. */
export function addServeFlags(command: Command, reader: DataOptionReader): void {
  command.optionsGroup('Where it is reached:');
  addServerFlags(command, { port: defaultPort, stateAddress: '127.0.0.1:4002' });
  command.optionsGroup('How it is kept:');
  reader.addData(command, true);
  reader.addKey(
    command,
    'encrypt resources; an OpenPGP private key, made when there is none. Logs and artifacts are not encrypted',
  );
  const slots = Object.entries(defaultSlots).map(([name, count]) => `${name}=${count}`);
  command
    .optionsGroup('How it works:')
    .option('--slots <name=number,…>', `how many steps of a kind at once (default: "${slots.join(',')}")`, slotsOf)
    .addOption(
      new Option('--grace <span>', 'how long what is cancelled has to end by itself')
        .argParser(span)
        .default(defaultGraceMs, '10s'),
    )
    .optionsGroup('What is kept of runs that are over:')
    .option(
      '--keep-runs <number>',
      'so many of each workflow; "all": any number',
      countOr('all'),
      defaultRetention.count,
    )
    .addOption(
      new Option('--keep-for <span>', 'so long, like 12h or 30d; "ever": without an end')
        .argParser(spanOr('ever'))
        .default(defaultRetention.ageMs, '7d'),
    )
    .optionsGroup('Log:');
  addLogFlags(command);
}

/** What was said about it. Ends the parsing when it makes no sense together. */
export function appOptionsOf(command: Command, reader: DataOptionReader, page: string | undefined): AppOptions {
  const flags = command.opts<ServeFlags>();
  return {
    ...serverOptionsOf(flags),
    data: reader.dataOf(flags, command),
    slots: flags.slots ?? {},
    graceMs: flags.grace,
    retention: {
      count: flags.keepRuns === 'all' ? Number.POSITIVE_INFINITY : flags.keepRuns,
      ageMs: flags.keepFor === 'ever' ? everMs : flags.keepFor,
    },
    log: logOptionsOf(flags),
    page,
  };
}

/** `run=4,http=64` */
function slotsOf(text: string, earlier: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const slots = { ...earlier };
  for (const each of text.split(',')) {
    const [, name, count] = /^([A-Za-z][A-Za-z0-9_-]*)=(\d{1,6})$/.exec(each.trim()) ?? [];
    if (name === undefined || Number(count) < 1) {
      throw new InvalidValue('It must be like run=4,http=64,function=1000.');
    }
    slots[name] = Number(count);
  }
  return slots;
}

function countOr<W extends string>(word: W) {
  const read = integer(0, 1e9);
  return (text: string): number | W => (text === word ? word : read(text));
}

function spanOr<W extends string>(word: W) {
  return (text: string): number | W => (text === word ? word : span(text));
}
