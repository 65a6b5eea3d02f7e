import { InvalidArgumentError } from './errors.js';

/** A resource is `running` until someone asks for its end; then it is `tearingDown` until it is destroyed. */
export type Phase = 'running' | 'tearingDown';

/** Reads a phase; any other text is an `invalid-argument` error that names it. */
export function parsePhase(text: string): Phase {
  // The texts here, and not others like them: to compare with those takes longer from then on.
  if (text === 'running') return 'running';
  if (text === 'tearingDown') return 'tearingDown';
  throw new InvalidArgumentError(
    `phase ${JSON.stringify(String(text).slice(0, 64))} is neither "running" nor "tearingDown"`,
  );
}
