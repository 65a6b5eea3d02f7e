import { InvalidArgumentError } from './errors.js';

/** A resource is `running` until someone asks for its end; then it is `tearingDown` until it is destroyed. */
export type Phase = 'running' | 'tearingDown';

/** Reads a phase; any other text is an `invalid-argument` error that names it. */
export function parsePhase(text: string): Phase {
  if (text === 'running' || text === 'tearingDown') return text;
  throw new InvalidArgumentError(
    `phase ${JSON.stringify(String(text).slice(0, 64))} is neither "running" nor "tearingDown"`,
  );
}
