import type { SignalFact } from './facts.js';

/** The signals of a run. Each is taken once, whether it was there before somebody waited for it or not. */
export class SignalBox {
  readonly #newest = new Map<string, SignalFact>();
  readonly #taken = new Set<string>();

  /** False when it is known already. */
  put(signal: SignalFact): boolean {
    if (this.#newest.get(signal.name)?.at === signal.at) return false;
    this.#newest.set(signal.name, signal);
    return true;
  }

  take(name: string): SignalFact | undefined {
    const signal = this.#newest.get(name);
    if (signal === undefined || this.#taken.has(keyOf(name, signal.at))) return undefined;
    this.taken(name, signal.at);
    return signal;
  }

  /** One that was taken before. */
  taken(name: string, at: string): void {
    this.#taken.add(keyOf(name, at));
  }
}

function keyOf(name: string, at: string): string {
  return `${at} ${name}`;
}
