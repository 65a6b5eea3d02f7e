import { type Kind, type Pointer, pointerKey, type Timestamp } from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import type { ReadCache } from './cache/read-cache.js';
import { type InputListener, type InputSubscription, InputWatch } from './input-watch.js';
import type { WatchReport } from './report.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';

/** One watch for each kind that someone listens to. */
export class WatchHub {
  readonly #state: CoreState;
  readonly #options: ResolvedRuntimeOptions;
  readonly #cache: ReadCache | undefined;
  readonly #watches = new Map<string, InputWatch>();
  readonly #closing = new Set<Promise<void>>();

  /** @param cache what the watches of its kinds bring goes into it, before the listeners are told */
  constructor(state: CoreState, options: ResolvedRuntimeOptions, cache?: ReadCache) {
    this.#state = state;
    this.#options = options;
    this.#cache = cache;
  }

  subscribe(kind: Kind, listener: InputListener): InputSubscription {
    const key = pointerKey({ namespace: kind.namespace, type: kind.type });
    let watch = this.#watches.get(key);
    if (watch === undefined) {
      watch = new InputWatch(kind, this.#state, this.#options, this.#cache?.of(kind));
      this.#watches.set(key, watch);
    }
    const used = watch;
    const { live, tried, close } = used.subscribe(listener);
    return {
      live,
      tried,
      close: () => {
        close();
        if (used.listeners > 0 || this.#watches.get(key) !== used) return;
        this.#watches.delete(key);
        this.#end(used);
      },
    };
  }

  /** When a resource began to be torn down, if a watch has seen it. */
  tornDownSince(pointer: Pointer): Timestamp | undefined {
    const { namespace, type, id } = pointer;
    return this.#watches.get(pointerKey({ namespace, type }))?.tornDownSince(id);
  }

  report(): readonly WatchReport[] {
    const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    return [...this.#watches.values()]
      .map((watch) => watch.report())
      .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.type, b.type));
  }

  /** Ends all watches, and waits until nothing of them is left. */
  async close(): Promise<void> {
    for (const watch of this.#watches.values()) this.#end(watch);
    this.#watches.clear();
    await Promise.allSettled(this.#closing);
  }

  #end(watch: InputWatch): void {
    const closing: Promise<void> = watch.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
