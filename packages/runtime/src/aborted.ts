/**
 * Whether an error is what comes of the signal: its reason, or the `AbortError` that functions of the host make of it
 * (Node's timers, streams and files do).
 */
export function comesOfAbort(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
