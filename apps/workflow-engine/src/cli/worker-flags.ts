import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { addLogFlags, integer, type LogFlags, logOptionsOf, pathFrom, type Surroundings } from '@cosi-ts/app-kit';
import { type Command, InvalidArgumentError as InvalidValue, Option } from 'commander';
import { defaultGraceMs } from '../app-options.js';
import type { WorkerOptions } from '../worker-app.js';
import { span } from './span.js';

interface WorkerFlags extends LogFlags {
  readonly name: string;
  readonly state: string;
  readonly serves: Readonly<Record<string, string>>;
  readonly slots: number;
  readonly lease: number;
  readonly grace: number;
  readonly data?: string;
}

const stateVariable = 'WORKFLOW_STATE';

/** Adds everything that can be said about a worker. */
export function addWorkerFlags(command: Command, { environment = process.env, workingFolder }: Surroundings): void {
  command
    .option('--name <name>', 'of no other worker', hostname())
    .option(
      '--state <url>',
      `the State service of the engine (or ${stateVariable})`,
      environment[stateVariable] || 'http://127.0.0.1:4002',
    )
    .addOption(
      new Option('--serves <label=value,…>', 'what steps ask for with runsOn; repeatable')
        .argParser(labelsOf)
        .makeOptionMandatory(),
    )
    .option('--slots <number>', 'how many steps at once', integer(1, 10_000), 4)
    .addOption(
      new Option('--lease <span>', 'after so long without a word its steps are given to others')
        .argParser(span)
        .default(15_000, '15s'),
    )
    .addOption(
      new Option('--grace <span>', 'how long what is cancelled has to end by itself')
        .argParser(span)
        .default(defaultGraceMs, '10s'),
    )
    .option(
      '--data <folder>',
      'where its processes and logs are, of nobody else (default: one for its name)',
      pathFrom(workingFolder ?? process.cwd()),
    )
    .optionsGroup('Log:');
  addLogFlags(command);
}

export function workerOptionsOf(command: Command, { dataFolder }: Surroundings): WorkerOptions {
  const flags = command.opts<WorkerFlags>();
  const { name, state, serves, slots, lease, grace } = flags;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) {
    command.error(`error: --name ${name}: it must be up to 63 letters, digits, dots, dashes and underscores`);
  }
  const stateUrl = /^https?:\/\//.test(state) ? state : `http://${state}`;
  if (!URL.canParse(stateUrl)) command.error(`error: --state ${state}: it must be like http://127.0.0.1:4002`);
  return {
    ...{ name, stateUrl, serves, slots },
    leaseMs: lease,
    graceMs: grace,
    folder: flags.data ?? join(dirname(dataFolder), 'worker-data', name),
    log: logOptionsOf(flags),
  };
}

/** `os=linux,gpu=yes` */
function labelsOf(text: string, earlier: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const labels = { ...earlier };
  for (const each of text.split(',')) {
    const equals = each.indexOf('=');
    if (equals <= 0) throw new InvalidValue('It must be like os=linux,gpu=yes.');
    labels[each.slice(0, equals).trim()] = each.slice(equals + 1).trim();
  }
  return labels;
}
