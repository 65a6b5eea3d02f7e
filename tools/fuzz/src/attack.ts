import type { Seeded } from '@cosi-ts/harness';

/** Where the server listens. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Counts what was answered, by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(outcome: string, count = 1): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + count);
  }

  addAll(other: Tally): void {
    for (const [outcome, count] of other.#counts) this.add(outcome, count);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  toString(): string {
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a);
    return sorted.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  }
}

/** What an attack has to work with in one case. All that it does follows from the random numbers. */
export interface Case {
  readonly target: Target;
  readonly random: Seeded;
  /** What the server answered. */
  readonly tally: Tally;
}

/** One kind of attack. */
export interface Attack {
  readonly name: string;
  /** How long the server has for letting go of what the attacker had. Default: {@link forgetMs}. */
  readonly forgetMs?: number | undefined;
  /**
   * Attacks once, and leaves no connection open. Throws a {@link Finding} when the server does what it must not do;
   * whether it lives, forgets and serves others is looked at afterwards.
   */
  run(its: Case): Promise<void>;
}

/** The server did what it must not do. */
export class Finding extends Error {
  override readonly name = 'Finding';
  /** What was sent, if that can be told. */
  readonly sent: Uint8Array | undefined;

  constructor(message: string, sent?: Uint8Array) {
    super(message);
    this.sent = sent;
  }
}

/** Ends of connections are noticed as they come, not by keepalive alone, which takes 15 s. */
export const forgetMs = 12_000;

/** Everything has to be answered within that time. The machine may be busy with other things. */
const answerMs = 20_000;

/** Resolves with the work, or throws a {@link Finding} when it takes too long. */
export async function answered<T>(work: Promise<T>, what: string, sent?: Uint8Array, limitMs = answerMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Finding(`${what}: nothing after ${limitMs} ms`, sent)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
