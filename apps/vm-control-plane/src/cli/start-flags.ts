import { type Command, Option } from 'commander';
import type { AppOptions } from '../app-options.js';
import { defaultNetwork } from '../control-plane.js';
import { defaultSimulation, type Span } from '../hypervisor/simulation-options.js';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '../logger.js';
import { DataFolder } from '../storage/data-folder.js';
import { addDataFlag, addKeyFlags, type DataFlags, dataOptionsOf, type KeyFlags } from './data-flags.js';
import { collected, integer, number, pathFrom, spanOption } from './option-values.js';
import type { Surroundings } from './surroundings.js';

interface StartFlags extends DataFlags, KeyFlags {
  host: string;
  port: number;
  stateAddress: string;
  allowHost?: readonly string[];
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
  logLevel: LogLevel;
  logFormat: LogFormat;
}

/** Adds everything that can be said about how the app runs. */
export function addStartFlags(command: Command, surroundings: Surroundings): void {
  const { boot, shutdown, bootFailureRate, stopsPerHour } = defaultSimulation;
  const path = pathFrom(surroundings.workingFolder ?? process.cwd());
  command
    .optionsGroup('Where it is reached:')
    .option('--host <address>', 'address of page and API', '127.0.0.1')
    .option('--port <number>', 'port of page and API; 0 takes a free one', integer(0, 65_535), 8080)
    .option('--state-address <host:port>', 'address of the State service (gRPC, gRPC-Web, Connect)', '127.0.0.1:4001')
    .option('--allow-host <name>', 'a further name by which the page may be addressed; repeatable', collected())
    .optionsGroup('How it is kept:');
  addDataFlag(command, surroundings, true);
  addKeyFlags(command, surroundings, 'encrypt all that is kept; an OpenPGP private key, made when there is none');
  command
    .optionsGroup('What is there from the beginning:')
    .option('--manifest <file>', 'YAML of VMs and hosts to apply; repeatable', collected(path))
    .option('--prune', 'tear down what is of a type in the manifests, but not in them')
    .option('--no-default-hosts', 'add no hosts when there is none')
    .option('--network <cidr>', 'the network that machines have addresses from', defaultNetwork)
    .optionsGroup('The simulated hypervisor:')
    .option('--hypervisor-file <file>', 'where it keeps its machines (default: machines.json in the data folder)', path)
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
    .optionsGroup('Log:')
    .addOption(new Option('--log-level <level>', 'from which level on').choices(logLevels).default('info'))
    .addOption(new Option('--log-format <format>', 'auto: pretty on a terminal').choices(logFormats).default('auto'));
}

/** What was said about it. Ends the parsing when it makes no sense together. */
export function appOptionsOf(command: Command, surroundings: Surroundings): AppOptions {
  const flags = command.opts<StartFlags>();
  const data = dataOptionsOf(flags, command, surroundings);
  return {
    host: flags.host,
    port: flags.port,
    stateAddress: flags.stateAddress,
    allowedHosts: flags.allowHost ?? [],
    data,
    manifests: flags.manifest ?? [],
    prune: flags.prune ?? false,
    defaultHosts: flags.defaultHosts,
    hypervisorFile: flags.hypervisorFile ?? (data && new DataFolder(data.folder).machines),
    network: flags.network,
    simulation: {
      boot: flags.bootMs,
      shutdown: flags.shutdownMs,
      bootFailureRate: flags.bootFailureRate,
      stopsPerHour: flags.stopsPerHour,
    },
    seed: flags.seed,
    log: { level: flags.logLevel, format: flags.logFormat },
    page: surroundings.page,
  };
}
