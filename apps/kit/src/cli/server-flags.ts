import type { Command } from 'commander';
import { collected, integer } from './option-values.js';

/** Where an app is reached. */
export interface ServerOptions {
  /** Where HTTP is served. Port 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  /** Where the State service is, as `host:port`. */
  readonly stateAddress: string;
  /** Names by which the HTTP server may be addressed, beside IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
}

export interface ServerFlags {
  readonly host: string;
  readonly port: number;
  readonly stateAddress: string;
  readonly allowHost?: readonly string[];
}

/** Adds `--host`, `--port`, `--state-address` and `--allow-host`. */
export function addServerFlags(command: Command, presets: Pick<ServerOptions, 'port' | 'stateAddress'>): void {
  command
    .option('--host <address>', 'address of page and API', '127.0.0.1')
    .option('--port <number>', 'port of page and API; 0 takes a free one', integer(0, 65_535), presets.port)
    .option(
      '--state-address <host:port>',
      'address of the State service (gRPC, gRPC-Web, Connect)',
      presets.stateAddress,
    )
    .option('--allow-host <name>', 'a further name by which the page may be addressed; repeatable', collected());
}

export function serverOptionsOf({ host, port, stateAddress, allowHost = [] }: ServerFlags): ServerOptions {
  return { host, port, stateAddress, allowedHosts: allowHost };
}
