import { describe, expect, it } from 'vitest';
import { withEither } from './linked-signal.js';

/** A signal that knows its listeners. */
function counted() {
  const aborter = new AbortController();
  const { signal } = aborter;
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners.add(args[1]);
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners.delete(args[1]);
    removeEventListener.apply(signal, args);
  };
  return { aborter, signal, listeners };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('withEither', () => {
  it('aborts with the first of two signals, and lets go of both however the call ends', async () => {
    for (const end of ['a', 'b', 'success', 'failure'] as const) {
      const [a, b] = [counted(), counted()];
      let finish: (value: string | Promise<never>) => void = () => undefined;
      const call = withEither(a.signal, b.signal, (signal) =>
        Promise.race([
          untilAborted(signal),
          new Promise<string>((resolve) => {
            finish = resolve;
          }),
        ]),
      );
      expect([a.listeners.size, b.listeners.size]).toEqual([1, 1]);
      if (end === 'a') a.aborter.abort('a');
      if (end === 'b') b.aborter.abort('b');
      if (end === 'success') finish('success');
      if (end === 'failure') finish(Promise.reject('failure'));
      await expect(call.catch((error: unknown) => error)).resolves.toBe(end);
      expect([a.listeners.size, b.listeners.size]).toEqual([0, 0]);
    }
  });

  it('gives a signal that has aborted already', async () => {
    const b = counted();
    b.aborter.abort('before');
    await expect(withEither(new AbortController().signal, b.signal, untilAborted)).rejects.toBe('before');
    expect(b.listeners.size).toBe(0);
  });
});
