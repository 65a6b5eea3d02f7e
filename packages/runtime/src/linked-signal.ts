import { followAbort } from '@cosi-ts/resource';

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
  const onAbort = (reason: unknown) => linked.abort(reason);
  const [unfollowA, unfollowB] = [followAbort(a, onAbort), followAbort(b, onAbort)];
  try {
    return await call(linked.signal);
  } finally {
    unfollowA();
    unfollowB();
  }
}
