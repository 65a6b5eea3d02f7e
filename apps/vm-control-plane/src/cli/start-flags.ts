import { join } from 'node:path';
import {
  addLogFlags,
  addServerFlags,
  collected,
  type DataFlags,
  type DataOptionReader,
  integer,
  type KeyFlags,
  type LogFlags,
  logOptionsOf,
  number,
  type ServerFlags,
  serverOptionsOf,
} from '@cosi-ts/app-kit';
import type { Command } from 'commander';
import type { AppOptions } from '../app-options.js';
import { defaultNetwork } from '../control-plane.js';
import { defaultSimulation, type Span } from '../hypervisor/simulation-options.js';
import { machinesFile } from '../vm-data.js';
import { spanOption } from './span-option.js';

interface StartFlags extends ServerFlags, DataFlags, KeyFlags, LogFlags {
  manifest?: readonly string[];
  prune?: boolean;
  defaultHosts: boolean;
  hypervisorFile?: string;
  network: string;
  bootMs: Span;
  shutdownMs: Span;
  bootFailureRate: number;
  stopsPerHour: number;
  seed?: number;
}

/** Adds everything that can be said about how the app runs. */
export function addStartFlags(command: Command, reader: DataOptionReader): void {
  const { boot, shutdown, bootFailureRate, stopsPerHour } = defaultSimulation;
  command.optionsGroup('Where it is reached:');
  addServerFlags(command, { port: 8080, stateAddress: '127.0.0.1:4001' });
  command.optionsGroup('How it is kept:');
  reader.addData(command, true);
  reader.addKey(command, 'encrypt all that is kept; an OpenPGP private key, made when there is none');
  command
    .optionsGroup('What is there from the beginning:')
    .option('--manifest <file>', 'YAML of VMs and hosts to apply; repeatable', collected(reader.path))
    .option('--prune', 'tear down what is of a type in the manifests, but not in them')
    .option('--no-default-hosts', 'add no hosts when there is none')
    .option('--network <cidr>', 'the network that machines have addresses from', defaultNetwork)
    .optionsGroup('The simulated hypervisor:')
    .option(
      '--hypervisor-file <file>',
      'where it keeps its machines (default: machines.json in the data folder)',
      reader.path,
    )
    .addOption(spanOption('--boot-ms <from-to>', 'how long machines boot, in milliseconds', boot))
    .addOption(spanOption('--shutdown-ms <from-to>', 'how long they shut down, in milliseconds', shutdown))
    .option('--boot-failure-rate <part>', 'which part of the boots fails, from 0 to 1', number(0, 1), bootFailureRate)
    .option(
      '--stops-per-hour <number>',
      'how often a machine stops by itself, on average',
      number(0, 1e6),
      stopsPerHour,
    )
    .option('--seed <number>', 'repeat the same chance', integer(0, 2 ** 32 - 1))
    .optionsGroup('Log:');
  addLogFlags(command);
}

/** What was said about it. Ends the parsing when it makes no sense together. */
export function appOptionsOf(command: Command, reader: DataOptionReader, page: string | undefined): AppOptions {
  const flags = command.opts<StartFlags>();
  const data = reader.dataOf(flags, command);
  return {
    ...serverOptionsOf(flags),
    data,
    manifests: flags.manifest ?? [],
    prune: flags.prune ?? false,
    defaultHosts: flags.defaultHosts,
    hypervisorFile: flags.hypervisorFile ?? (data && join(data.folder, machinesFile)),
    network: flags.network,
    simulation: {
      boot: flags.bootMs,
      shutdown: flags.shutdownMs,
      bootFailureRate: flags.bootFailureRate,
      stopsPerHour: flags.stopsPerHour,
    },
    seed: flags.seed,
    log: logOptionsOf(flags),
    page,
  };
}
