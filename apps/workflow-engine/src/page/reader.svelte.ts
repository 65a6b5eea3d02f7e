import { ApiError, get } from './api.js';

/** Reads something of the API, and again when it is told to: never twice at once, and not oftener than the interval. */
export class Reader<T> {
  /** The newest that came; stays when reading it again goes wrong. */
  value = $state.raw<T | undefined>(undefined);
  error = $state.raw<ApiError | undefined>(undefined);

  readonly #path: string;
  readonly #intervalMs: number;
  readonly #onValue: (value: T) => void;
  readonly #end = new AbortController();
  #isBusy = false;
  #isAsked = false;

  constructor(path: string, { intervalMs = 400, onValue = () => undefined }: ReaderOptions<T> = {}) {
    this.#path = path;
    this.#intervalMs = intervalMs;
    this.#onValue = onValue;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#isBusy) void this.#read();
  }

  /** Nothing changes any more. */
  stop(): void {
    this.#end.abort();
  }

  async #read(): Promise<void> {
    const { signal } = this.#end;
    this.#isBusy = true;
    while (this.#isAsked && !signal.aborted) {
      this.#isAsked = false;
      try {
        const value = await get<T>(this.#path, signal);
        if (signal.aborted) break;
        this.value = value;
        this.error = undefined;
        this.#onValue(value);
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof ApiError)) throw error;
        this.error = error;
      }
      await new Promise((resolve) => setTimeout(resolve, this.#intervalMs));
    }
    this.#isBusy = false;
  }
}

export interface ReaderOptions<T> {
  readonly intervalMs?: number;
  readonly onValue?: (value: T) => void;
}
