/** Lets one waiter sleep until somebody wakes it. A call that comes while it is awake has its next wait end at once. */
export class WakeUp {
  #isDue = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#isDue = true;
    this.#resolve?.();
  }

  /** Rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isDue) await this.#sleep(signal);
    this.#isDue = false;
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#resolve = undefined;
        reject(signal.reason);
      };
      this.#resolve = () => {
        this.#resolve = undefined;
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
