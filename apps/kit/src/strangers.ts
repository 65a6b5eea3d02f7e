import { isIP } from 'node:net';
import type { Logger } from '@cosi-ts/runtime';

export interface ServedAddresses {
  /** Where HTTP is served. */
  readonly host: string;
  /** Where the State service is, as `host:port`. */
  readonly stateAddress: string;
}

/** Warns of what can be reached from beyond this machine. */
export function warnOfStrangers({ host, stateAddress }: ServedAddresses, logger: Logger): void {
  const stateHost = stateAddress.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  for (const [what, name] of [
    ['HTTP', host],
    ['the State service', stateHost],
  ] as const) {
    if (!isLoopback(name))
      logger.warn({ host: name }, `${what} can be reached from elsewhere, and asks nobody who they are`);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
