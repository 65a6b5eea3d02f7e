import type { Resource } from '@cosi-ts/resource';
import type { Event, State, Watch } from '@cosi-ts/state';
import { Stone } from './things.js';

/**
 * Watches the stones from a bootstrap on, which faults may break, and keeps what it was told: each event must fit what
 * it was told before.
 */
export class Joiner {
  readonly problems: string[] = [];
  /** Resolves when the bootstrap is complete. */
  readonly joined: Promise<void>;
  readonly #stones = new Map<string, Resource>();
  readonly #watch: Watch<Event> | Watch<readonly Event[]>;
  readonly #done: Promise<void>;
  #closed = false;
  #wake: () => void = () => {};

  private constructor(watch: Watch<Event> | Watch<readonly Event[]>) {
    this.#watch = watch;
    this.joined = new Promise((resolve) => {
      this.#wake = resolve;
    });
    this.#done = this.#follow();
  }

  static async start(state: State, aggregated: boolean): Promise<Joiner> {
    const options = { bootstrapContents: true };
    return new Joiner(
      await (aggregated ? state.watchKindAggregated(Stone.kind, options) : state.watchKind(Stone.kind, options)),
    );
  }

  /** What it was told of each stone. */
  get stones(): readonly string[] {
    return [...this.#stones.values()].map(stoneText).sort();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#watch.close();
    await this.#done;
  }

  async #follow(): Promise<void> {
    try {
      for await (const item of this.#watch) {
        for (const event of 'type' in item ? [item] : item) this.#take(event);
      }
      if (!this.#closed) this.problems.push('the watch ended quietly');
    } catch (error) {
      this.problems.push(String(error));
    }
    this.#wake();
  }

  #take(event: Event): void {
    if (event.type === 'errored') {
      this.problems.push(`errored: ${event.error.stack}`);
      return;
    }
    if (event.type === 'bootstrapped') this.#wake();
    if (event.type === 'bootstrapped' || event.type === 'noop') return;
    const { resource } = event;
    const { id } = resource.metadata;
    const known = this.#stones.get(id);
    if ((event.type === 'created') !== (known === undefined))
      this.problems.push(`${event.type} ${stoneText(resource)} after ${known && stoneText(known)}`);
    if (event.type === 'updated' && event.old !== undefined && known !== undefined) {
      if (stoneText(event.old) !== stoneText(known))
        this.problems.push(`updated from ${stoneText(event.old)} after ${stoneText(known)}`);
    }
    if (event.type === 'destroyed') this.#stones.delete(id);
    else this.#stones.set(id, resource);
  }
}

export function stoneText({ metadata }: Resource): string {
  return `${metadata.id} v${metadata.version} of ${metadata.created}`;
}
