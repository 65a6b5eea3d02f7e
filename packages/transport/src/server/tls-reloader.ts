import type { SecureContextOptions } from 'node:tls';
import type { Clock, Timer } from '@cosi-ts/state';
import { messageOf } from '../causes.js';
import type { Logger } from '../logger.js';
import { readTls, sameTls, secureContextOptions, validUntilMs } from './tls-contents.js';
import type { ResolvedServerTlsOptions, TlsContents } from './tls-options.js';

export interface TlsReloaderOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What was found and cannot be used. */
interface Broken {
  /** Undefined when it could not even be read. */
  readonly found: TlsContents | undefined;
  readonly reason: string;
}

/** Keeps a server's certificate what its files hold. Parts that do not fit leave the server with those it had. */
export class TlsReloader {
  readonly #options: ResolvedServerTlsOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #current: TlsContents;
  /** So that each fault is reported once. */
  #broken: Broken | undefined;
  #apply: (context: SecureContextOptions) => void = () => {};
  #timer: Timer | undefined;
  #closed = false;

  private constructor(options: ResolvedServerTlsOptions, current: TlsContents, { clock, logger }: TlsReloaderOptions) {
    this.#options = options;
    this.#current = current;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Rejects when the files or texts cannot be used. */
  static async open(options: ResolvedServerTlsOptions, around: TlsReloaderOptions): Promise<TlsReloader> {
    const current = await readTls(options.source);
    secureContextOptions(current);
    const reloader = new TlsReloader(options, current, around);
    reloader.#warnIfExpired(current);
    return reloader;
  }

  get context(): SecureContextOptions {
    return secureContextOptions(this.#current);
  }

  /** From now on tells of each change. */
  start(apply: (context: SecureContextOptions) => void): void {
    this.#apply = apply;
    if (!('cert' in this.#options.source)) this.#schedule();
  }

  /**
   * Reads the files again, or takes the texts that are given. Rejects when they cannot be used; the server then goes on
   * with what it had.
   */
  async reload(given?: TlsContents): Promise<void> {
    const found = given ?? (await readTls(this.#options.source));
    if (sameTls(found, this.#current)) return;
    if (found.clientCa === undefined && this.#options.asksForClientCert)
      throw new TypeError('a server that asks for certificates of clients needs their authority: clientCa');
    this.#apply(secureContextOptions(found));
    this.#current = found;
    this.#warnIfExpired(found);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = this.#clock.schedule(this.#options.reloadIntervalMs, () => {
      void this.#look().finally(() => this.#schedule());
    });
  }

  async #look(): Promise<void> {
    let found: TlsContents | undefined;
    try {
      found = await readTls(this.#options.source);
      await this.reload(found);
      this.#broken = undefined;
    } catch (error) {
      const broken: Broken = { found, reason: messageOf(error) };
      const isKnown = this.#broken !== undefined && sameFault(this.#broken, broken);
      this.#broken = broken;
      if (isKnown) return;
      this.#logger.error({ err: error }, 'the new certificate cannot be used; the server goes on with the one it had');
    }
  }

  #warnIfExpired(contents: TlsContents): void {
    const nowMs = this.#clock.now().seconds * 1000;
    const untilMs = validUntilMs(contents);
    if (untilMs > nowMs) return;
    this.#logger.warn({ validUntil: new Date(untilMs).toISOString() }, 'the certificate of the server has expired');
  }
}

function sameFault(one: Broken, other: Broken): boolean {
  if (one.found === undefined || other.found === undefined)
    return one.found === other.found && one.reason === other.reason;
  return sameTls(one.found, other.found);
}
