import { Command, InvalidArgumentError as InvalidValue, Option } from 'commander';
import type { AppOptions } from './app-options.js';
import { defaultNetwork } from './control-plane.js';
import { defaultSimulation, type Span } from './hypervisor/simulation-options.js';
import { type LogFormat, type LogLevel, logFormats, logLevels } from './logger.js';

interface Parsed {
  host: string;
  port: number;
  stateAddress: string;
  allowHost?: string[];
  manifest?: string[];
  prune?: boolean;
  defaultHosts: boolean;
  hypervisorFile: string;
  network: string;
  bootMs: Span;
  shutdownMs: Span;
  bootFailureRate: number;
  stopsPerHour: number;
  seed?: number;
  logLevel: LogLevel;
  logFormat: LogFormat;
}

export interface Surroundings {
  readonly version: string;
  /** Where the app keeps its files unless another place is named. */
  readonly dataFolder: string;
  readonly page: string | undefined;
  /** Where help and faults are written to. Default: the standard streams. */
  readonly write?: (text: string) => void;
}

/**
 * Reads the command line. Undefined: there is nothing more to do, because help or the version was asked for, or the
 * command line was wrong; commander has said so, and set the exit code.
 */
export function parseCommandLine(args: readonly string[], surroundings: Surroundings): AppOptions | undefined {
  const { version, dataFolder, page, write } = surroundings;
  const { boot, shutdown, bootFailureRate, stopsPerHour } = defaultSimulation;
  const command = new Command('vm-control-plane')
    .description('A control plane for virtual machines on a simulated hypervisor: page, API, events and State service.')
    .version(version)
    .optionsGroup('Where it is reached:')
    .option('--host <address>', 'address of page and API', '127.0.0.1')
    .option('--port <number>', 'port of page and API; 0 takes a free one', integer(0, 65_535), 8080)
    .option('--state-address <host:port>', 'address of the State service (gRPC, gRPC-Web, Connect)', '127.0.0.1:4001')
    .option('--allow-host <name>', 'a further name by which the page may be addressed; repeatable', collect)
    .optionsGroup('What is there from the beginning:')
    .option('--manifest <file>', 'YAML of VMs and hosts to apply; repeatable', collect)
    .option('--prune', 'tear down what is of a type in the manifests, but not in them')
    .option('--no-default-hosts', 'add no hosts when there is none')
    .option('--network <cidr>', 'the network that machines have addresses from', defaultNetwork)
    .optionsGroup('The simulated hypervisor:')
    .option('--hypervisor-file <file>', 'where it keeps its machines', `${dataFolder}/machines.json`)
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
    .addOption(new Option('--log-format <format>', 'auto: pretty on a terminal').choices(logFormats).default('auto'))
    .exitOverride();
  if (write !== undefined) command.configureOutput({ writeOut: write, writeErr: write });
  try {
    command.parse([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = (error as { exitCode?: number }).exitCode === 0 ? 0 : 2;
    return undefined;
  }
  const parsed = command.opts<Parsed>();
  return {
    host: parsed.host,
    port: parsed.port,
    stateAddress: parsed.stateAddress,
    allowedHosts: parsed.allowHost ?? [],
    manifests: parsed.manifest ?? [],
    prune: parsed.prune ?? false,
    defaultHosts: parsed.defaultHosts,
    hypervisorFile: parsed.hypervisorFile,
    network: parsed.network,
    simulation: {
      boot: parsed.bootMs,
      shutdown: parsed.shutdownMs,
      bootFailureRate: parsed.bootFailureRate,
      stopsPerHour: parsed.stopsPerHour,
    },
    seed: parsed.seed,
    log: { level: parsed.logLevel, format: parsed.logFormat },
    page,
  };
}

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

function spanOption(flags: string, description: string, preset: Span): Option {
  return new Option(flags, description).argParser(span).default(preset, `${preset.minMs}-${preset.maxMs}`);
}

function number(least: number, most: number) {
  return (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= least && value <= most)) throw new InvalidValue(`It must be a number from ${least} to ${most}.`);
    return value;
  };
}

function integer(least: number, most: number) {
  const read = number(least, most);
  return (text: string): number => {
    const value = read(text);
    if (!Number.isInteger(value)) throw new InvalidValue(`It must be an integer from ${least} to ${most}.`);
    return value;
  };
}

/** `500` or `500-2000` */
function span(text: string): Span {
  const parts = /^(\d+)(?:-(\d+))?$/.exec(text);
  const minMs = Number(parts?.[1]);
  const maxMs = Number(parts?.[2] ?? parts?.[1]);
  if (parts === null || maxMs < minMs) throw new InvalidValue('It must be like 500 or 500-2000.');
  return { minMs, maxMs };
}
