import { UnavailableError } from '@cosi-ts/resource';

/** Tells calls when a server wants them to end. */
export class Shutdown {
  readonly #closing = new AbortController();
  readonly #aborting = new AbortController();

  /** Aborts first: calls that wait for something end, new ones are refused. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborts when the others have had their time. */
  get aborting(): AbortSignal {
    return this.#aborting.signal;
  }

  close(): void {
    this.#closing.abort(new UnavailableError('the server is shutting down'));
  }

  abort(): void {
    this.close();
    this.#aborting.abort(this.#closing.signal.reason);
  }
}
