import { ClosedError, UnavailableError } from '@cosi-ts/resource';
import { orAborted } from '../aborted.js';
import { messageOf } from '../causes.js';
import { markUnsent } from './unsent.js';

/** What a function that gives tokens is asked. */
export interface TokenRequest {
  /** Whether the server refused the token given last, so that it must be another one. */
  readonly fresh: boolean;
  /** Aborts when the client is closed. */
  readonly signal: AbortSignal;
}

/** A token, or where to get one from. */
export type TokenSource = string | ((request: TokenRequest) => string | Promise<string>);

/** What may stand in a header, spaces apart. */
const tokenForm = /^[\x21-\x7e]+$/;

/**
 * The token of a client. It is asked for by the first call, kept until the server refuses it, and asked for anew then,
 * once for all calls that were refused.
 */
export class Tokens {
  readonly #source: TokenSource;
  readonly #closed = new AbortController();
  #token: string | undefined;
  #asking: Promise<string> | undefined;
  #isRefused = false;

  /** Throws a `TypeError` for a text that cannot be a token. */
  constructor(source: TokenSource) {
    if (typeof source === 'string') this.#token = checkToken(source);
    this.#source = source;
  }

  /** Rejects with `unavailable` when there is none, and with the signal's reason. */
  async current(signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted();
    return this.#token ?? (signal === undefined ? this.#ask() : orAborted(this.#ask(), signal));
  }

  /** Another token than the one that was refused, or undefined when there is no other one. */
  async fresh(refused: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (typeof this.#source === 'string') return undefined;
    if (this.#token === refused) {
      this.#token = undefined;
      this.#isRefused = true;
    }
    return this.current(signal);
  }

  /** Nobody waits for a token any longer. */
  close(): void {
    this.#closed.abort(new ClosedError('the remote state is closed'));
  }

  #ask(): Promise<string> {
    this.#asking ??= this.#asked().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #asked(): Promise<string> {
    const { signal } = this.#closed;
    try {
      const source = this.#source as Exclude<TokenSource, string>;
      const asked = Promise.resolve(source({ fresh: this.#isRefused, signal }));
      this.#token = checkToken(await orAborted(asked, signal));
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      throw markUnsent(new UnavailableError(`there is no token to call with: ${messageOf(cause)}`, { cause }));
    }
    this.#isRefused = false;
    return this.#token;
  }
}

/** The message does not repeat the token, which is a secret. */
function checkToken(token: unknown): string {
  if (typeof token === 'string' && tokenForm.test(token)) return token;
  throw new TypeError('a token must be a text of visible ASCII characters without spaces, and not be empty');
}
