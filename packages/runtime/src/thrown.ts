import { isCosiError } from '@cosi-ts/resource';

/**
 * The error that was thrown; of anything else an error that shows it, with it as the cause. What throws anew when it is
 * looked at (a revoked proxy, a getter that fails) is replaced by an error that says so: the result can be read.
 */
export function errorOf(thrown: unknown): Error {
  try {
    if (isReadableError(thrown)) return thrown;
    return new Error(`${shown(thrown)} was thrown, which is no error`, { cause: thrown });
  } catch {
    return new Error('something was thrown that cannot be read');
  }
}

/** Reads all that loggers, reports and guards read of an error. */
function isReadableError(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error || isErrorLike(thrown))) return false;
  const { message, stack, code } = thrown as Error & { readonly code?: unknown };
  if (typeof message !== 'string' || (stack !== undefined && typeof stack !== 'string')) return false;
  return !isCosiError(thrown) || typeof code === 'string';
}

/** Errors of other realms are no instances of this one's class. */
function isErrorLike(thrown: unknown): thrown is Error {
  return Object.prototype.toString.call(thrown) === '[object Error]';
}

function shown(thrown: unknown): string {
  if (typeof thrown === 'string') return JSON.stringify(thrown);
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  try {
    return JSON.stringify(thrown) ?? 'an object';
  } catch {
    // Cyclic, or with a getter that throws: the cause has it all.
    return 'an object';
  }
}
