import { CorruptError, InUseError, isCosiError, ResourceExhaustedError, UnavailableError } from '@cosi-ts/resource';

/**
 * What went wrong in LevelDB or the file system, as an error of this system. All other errors stay what they are.
 *
 * @param doing what was being done, for the message: "write to", "open"
 */
export function translateError(error: unknown, doing: string, folder: string): unknown {
  const causes = chain(error);
  if (isCosiError(error) || !causes.some((cause) => typeof codeOf(cause) === 'string')) return error;
  const message = `cannot ${doing} the store in ${JSON.stringify(folder)}: ${innermostText(causes)}`;
  const details = { cause: error };
  if (causes.some((cause) => codeOf(cause) === 'LEVEL_LOCKED')) {
    return new InUseError(`the store in ${JSON.stringify(folder)} is in use already`, details);
  }
  if (causes.some(isDiskFull)) return new ResourceExhaustedError(message, details);
  if (causes.some((cause) => codeOf(cause) === 'LEVEL_CORRUPTION')) return new CorruptError(message, details);
  return new UnavailableError(message, details);
}

/** The error and its causes, from the outside in. */
function chain(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (
    let at = error;
    at !== undefined && at !== null && !causes.includes(at);
    at = (at as { cause?: unknown }).cause
  ) {
    causes.push(at);
  }
  return causes;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function innermostText(causes: readonly unknown[]): string {
  const innermost = causes.at(-1);
  return innermost instanceof Error ? innermost.message : String(innermost);
}

/** LevelDB gives the system's text for the error number, and not the number. */
function isDiskFull(error: unknown): boolean {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return true;
  return code === 'LEVEL_IO_ERROR' && /No space left on device|Disk quota exceeded/.test((error as Error).message);
}
