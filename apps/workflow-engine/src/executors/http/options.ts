import { type Clock, systemClock } from '@cosi-ts/resource';
import { consoleLogger, type Logger } from '@cosi-ts/runtime';

export interface HttpOptions {
  /** How large an answer can be, unpacked. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** How many redirections are followed, one after the other. Default: 10. */
  readonly maxRedirects?: number;
  /** Default: that of the host. */
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const defaultHttpOptions = Object.freeze({ maxBodyBytes: 1024 * 1024, maxRedirects: 10 });

export function resolveHttpOptions(options: HttpOptions = {}): Required<HttpOptions> {
  const resolved = { ...defaultHttpOptions, fetch, clock: systemClock, logger: consoleLogger('warn'), ...options };
  for (const field of ['maxBodyBytes', 'maxRedirects'] as const) {
    const value = resolved[field];
    if (!(Number.isSafeInteger(value) && value >= 0)) throw new RangeError(`${field} cannot be ${value}`);
  }
  return resolved;
}
