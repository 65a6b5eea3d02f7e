import { setTimeout as delay } from 'node:timers/promises';
import { Child, Seeded } from '@cosi-ts/harness';
import { type Attack, answered, Finding, forgetMs, Tally, type Target } from './attack.js';
import type { Holdings, Memory, ServerAnswers, ServerReady } from './server.js';
import type { Testimony, WitnessAnswers } from './witness.js';

/** A call of the witness that takes longer was harmed. The machine may be busy with other things. */
const unharmedMs = 10_000;

/** No attack takes as long. */
const attackMs = 300_000;

/** What is wrong after a case. */
export interface Problem {
  readonly what: string;
  readonly sent?: Uint8Array | undefined;
}

/** What a case showed. */
export interface Report {
  readonly problems: readonly Problem[];
  readonly tally: Tally;
  readonly tookMs: number;
  /** How long the server then took to let go of everything. */
  readonly forgotMs: number;
  readonly testimony: Testimony | undefined;
  readonly memory: Memory | undefined;
}

/** A server that is attacked, and a client that works beside. */
export class Campaign implements AsyncDisposable {
  readonly #server: Child<ServerAnswers, ServerReady>;
  readonly #witness: Child<WitnessAnswers>;
  readonly #target: Target;
  readonly #idle: Holdings;

  private constructor(
    server: Child<ServerAnswers, ServerReady>,
    witness: Child<WitnessAnswers>,
    target: Target,
    idle: Holdings,
  ) {
    this.#server = server;
    this.#witness = witness;
    this.#target = target;
    this.#idle = idle;
  }

  static async start(): Promise<Campaign> {
    const server = new Child<ServerAnswers, ServerReady>(new URL('./server.js', import.meta.url), {
      execArgv: ['--expose-gc', '--enable-source-maps'],
    });
    const { address } = await server.ready;
    const idle = await server.ask('holdings');
    const witness = new Child<WitnessAnswers>(new URL('./witness.js', import.meta.url), {
      args: [`http://${address}`],
      execArgv: ['--enable-source-maps'],
    });
    await witness.ready;
    await witness.ask('testimony');
    const [host, port] = address.split(':') as [string, string];
    return new Campaign(server, witness, { host, port: Number(port) }, idle);
  }

  /** Attacks once, and looks at what is left. */
  async run(attack: Attack, seed: number): Promise<Report> {
    const problems: Problem[] = [];
    const tally = new Tally();
    const begin = performance.now();
    try {
      const work = attack.run({ target: this.#target, random: new Seeded(seed), tally });
      await answered(work, attack.name, undefined, attackMs);
    } catch (error) {
      if (error instanceof Finding) problems.push({ what: error.message, sent: error.sent });
      else problems.push({ what: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    const tookMs = performance.now() - begin;
    try {
      const testimony = await this.#witness.ask('testimony');
      for (const failure of testimony.failures) problems.push({ what: `the witness was harmed: ${failure}` });
      if (testimony.longestMs > unharmedMs)
        problems.push({ what: `a call of the witness took ${Math.round(testimony.longestMs)} ms` });
      const { forgotMs, held } = await this.#forgotten(attack.forgetMs ?? forgetMs);
      if (held !== undefined)
        problems.push({ what: `${Math.round(forgotMs)} ms later the server still holds ${held}` });
      for (const line of await this.#server.ask('logged')) problems.push({ what: `the server logged: ${line}` });
      await this.#server.ask('wipe');
      return { problems, tally, tookMs, forgotMs, testimony, memory: await this.#server.ask('memory') };
    } catch (error) {
      problems.push({ what: String(error) });
    }
    return { problems, tally, tookMs, forgotMs: 0, testimony: undefined, memory: undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#server.kill(), this.#witness.kill()]);
  }

  /** Waits until the server has only what the witness needs; says what else there is after a while. */
  async #forgotten(limitMs: number): Promise<{ readonly forgotMs: number; readonly held: string | undefined }> {
    const begin = performance.now();
    for (;;) {
      const { sockets, watches } = await this.#server.ask('holdings');
      // The witness has one watch, on one connection, and another connection, or for a moment two, for its calls.
      const more = { sockets: sockets - this.#idle.sockets - 2, watches: watches - this.#idle.watches - 1 };
      const forgotMs = performance.now() - begin;
      if (more.sockets <= 0 && more.watches <= 0) return { forgotMs, held: undefined };
      if (forgotMs > limitMs) return { forgotMs, held: `${more.sockets} connections and ${more.watches} watches` };
      await delay(20);
    }
  }
}
