/** A signal that never aborts, and knows how many listen to it. */
export class CountedSignal {
  readonly signal: AbortSignal;
  readonly #listeners = new Set<unknown>();

  constructor() {
    const { signal } = new AbortController();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      this.#listeners.add(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      this.#listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    };
    this.signal = signal;
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
