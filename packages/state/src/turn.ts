interface TurnHost {
  /** Node's: runs after the host has looked for input, without the delay of a timer. */
  readonly setImmediate?: (callback: () => void) => unknown;
}

/**
 * Resolves after the host had a turn of its event loop: timers that are due and input that has come are dealt with
 * before. For work that would otherwise keep everything else waiting; it has nothing to do with time.
 */
export function nextTurn(): Promise<void> {
  const { setImmediate } = globalThis as TurnHost;
  return new Promise((resolve) => {
    if (setImmediate !== undefined) {
      setImmediate(resolve);
      return;
    }
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(undefined);
  });
}
