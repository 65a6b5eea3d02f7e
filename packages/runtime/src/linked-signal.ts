/** Runs the call with a signal that aborts with either of two, and lets go of both when the call has ended. */
export function withEither<T>(
  a: AbortSignal,
  b: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return b === undefined || b === a ? call(a) : withLinked(a, b, call);
}

async function withLinked<T>(a: AbortSignal, b: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const linked = new AbortController();
  const onA = () => linked.abort(a.reason);
  const onB = () => linked.abort(b.reason);
  if (a.aborted) onA();
  else if (b.aborted) onB();
  a.addEventListener('abort', onA, { once: true });
  b.addEventListener('abort', onB, { once: true });
  try {
    return await call(linked.signal);
  } finally {
    a.removeEventListener('abort', onA);
    b.removeEventListener('abort', onB);
  }
}
