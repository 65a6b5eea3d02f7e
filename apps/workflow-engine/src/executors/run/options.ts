import { type Clock, systemClock } from '@cosi-ts/resource';
import { consoleLogger, type Logger } from '@cosi-ts/runtime';
import { defaultLogBytes } from '../logs/log-writer.js';
import { inheritedVariables } from './environment.js';

export interface RunOptions {
  /** The environment that the listed variables are taken from. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What processes get of it. Default: {@link inheritedVariables}. */
  readonly inherit?: readonly string[];
  /** How large the log of one attempt can get. Default: 10 MiB. */
  readonly maxLogBytes?: number;
  /** Longer lines become several in the log. Default: 16 KiB. */
  readonly maxLineBytes?: number;
  /** How large the file of outputs can be. Default: 1 MiB. */
  readonly maxOutputBytes?: number;
  /** How long processes are waited for that even SIGKILL does not end, as when a disk hangs. Default: 10 000. */
  readonly forceMs?: number;
  /** A program and its arguments that runs the script between the engine and the command. Default: `/bin/sh`. */
  readonly shell?: readonly string[];
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const defaultRunOptions = Object.freeze({
  inherit: inheritedVariables,
  maxLogBytes: defaultLogBytes,
  maxLineBytes: 16 * 1024,
  maxOutputBytes: 1024 * 1024,
  forceMs: 10_000,
  shell: Object.freeze(['/bin/sh']),
});

export function resolveRunOptions(options: RunOptions = {}): Required<RunOptions> {
  const resolved = {
    ...defaultRunOptions,
    environment: process.env,
    clock: systemClock,
    logger: consoleLogger('warn'),
    ...options,
  };
  const least = { maxLogBytes: 4096, maxLineBytes: 4, maxOutputBytes: 1, forceMs: 0 };
  for (const [field, smallest] of Object.entries(least)) {
    const value = resolved[field as keyof typeof least];
    if (!(Number.isFinite(value) && value >= smallest)) throw new RangeError(`${field} cannot be ${value}`);
  }
  if (resolved.shell.length === 0) throw new RangeError('shell must have a program');
  return resolved;
}
