import { type Kind, pointerKey } from '@cosi-ts/resource';
import { concerns, InputSubscriptions } from './input-subscriptions.js';
import type { InputListener } from './input-watch.js';
import type { QueueInput } from './inputs.js';
import type { InputChange } from './known-resources.js';
import { noItems } from './mappers.js';
import type { ItemGroup } from './queue-item.js';
import type { WatchHub } from './watch-hub.js';
import type { WorkQueue } from './work-queue.js';

/** What is to be done with an item: reconcile it, or map it to items. */
export interface ItemJob {
  readonly what: 'reconcile' | 'map';
  readonly kind: Kind;
}

/** The change that an item comes from; undefined when it was asked for without one, which items to map never are. */
export type ItemValue = InputChange | undefined;

/** Turns changes of a queue controller's inputs into items of its queue. */
export class InputFeed {
  readonly #queue: WorkQueue<ItemJob, ItemValue>;
  readonly #groups = new Map<string, ItemGroup<ItemJob, ItemValue>>();
  readonly #subscriptions: InputSubscriptions<QueueInput>;

  constructor(hub: WatchHub, queue: WorkQueue<ItemJob, ItemValue>) {
    this.#queue = queue;
    this.#subscriptions = new InputSubscriptions<QueueInput>(
      hub,
      (inputs) => this.#listener(inputs),
      (a, b) => a.kind === 'primary' || b.kind === 'primary' || a.mapper === b.mapper,
    );
  }

  /** The items of one kind: an item is one whatever input it comes from. */
  group(what: ItemJob['what'], kind: Kind): ItemGroup<ItemJob, ItemValue> {
    const { namespace, type } = kind;
    const key = `${what} ${pointerKey({ namespace, type })}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = this.#queue.group({ what, kind: Object.freeze({ namespace, type }) });
      this.#groups.set(key, group);
    }
    return group;
  }

  /** Listens to these inputs and to no others. Resolves when no change of them is missed any more. */
  async follow(inputs: readonly QueueInput[]): Promise<void> {
    this.#keepGroups(inputs);
    await this.#subscriptions.follow(inputs.filter(wakes)).live;
  }

  close(): void {
    this.#subscriptions.close();
  }

  #listener(inputs: readonly QueueInput[]): InputListener {
    const targets = inputs.map((input) => ({ input, group: this.#groupOf(input) }));
    return (changes, backlog) => {
      for (const change of changes) {
        for (const { input, group } of targets) {
          if (!concerns(input, change)) continue;
          this.#queue.put(group, change.metadata.id, change, backlog);
        }
      }
    };
  }

  #groupOf(input: QueueInput): ItemGroup<ItemJob, ItemValue> {
    return this.group(input.kind === 'primary' ? 'reconcile' : 'map', input.of);
  }

  /** Items of kinds that are no inputs any more are forgotten. */
  #keepGroups(inputs: readonly QueueInput[]): void {
    const wanted = new Set(inputs.map((input) => this.#groupOf(input)));
    for (const group of this.#groups.values()) {
      if (wanted.has(group)) this.#queue.revive(group);
      else this.#queue.drop(group);
    }
  }
}

/** Inputs that wake nobody need no watch. */
export function wakes(input: QueueInput): boolean {
  return input.kind === 'primary' || input.mapper !== noItems;
}
