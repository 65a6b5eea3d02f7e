/** An abort controller that counts who listens to its signal, for finding listeners that are left behind. */
export class CountedAbort {
  readonly #controller = new AbortController();
  readonly #listeners = new Map<unknown, boolean>();

  constructor() {
    const { signal } = this.#controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: never, options?: boolean | AddEventListenerOptions) => {
      if (type === 'abort' && !this.#listeners.has(listener)) {
        this.#listeners.set(listener, typeof options === 'object' && options.once === true);
        if (typeof options === 'object')
          options.signal?.addEventListener('abort', () => this.#listeners.delete(listener));
      }
      add(type, listener, options);
    };
    signal.removeEventListener = (type: string, listener: never, options?: boolean | EventListenerOptions) => {
      if (type === 'abort') this.#listeners.delete(listener);
      remove(type, listener, options);
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** How many listeners are attached. */
  get listeners(): number {
    return this.#listeners.size;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    for (const [listener, once] of this.#listeners) if (once) this.#listeners.delete(listener);
  }
}
