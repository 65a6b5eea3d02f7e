import { type Kind, pointerKey } from '@cosi-ts/resource';
import { subjectKey } from './controller-setup.js';
import type { InputChange, InputSubscription } from './input-watch.js';
import type { MappedInput, QueueInput } from './inputs.js';
import { noItems } from './mappers.js';
import type { ItemGroup } from './queue-item.js';
import type { WatchHub } from './watch-hub.js';
import type { WorkQueue } from './work-queue.js';

/** What is to be done with an item: reconcile it, or map it to items. */
export interface ItemJob {
  readonly what: 'reconcile' | 'map';
  readonly kind: Kind;
}

/** Items to map carry the change that is to be mapped. */
export type ItemValue = InputChange | undefined;

interface Feed {
  readonly inputs: readonly QueueInput[];
  readonly subscription: InputSubscription;
}

/** Turns changes of a controller's inputs into items of its queue. */
export class InputFeed {
  readonly #hub: WatchHub;
  readonly #queue: WorkQueue<ItemJob, ItemValue>;
  readonly #groups = new Map<string, ItemGroup<ItemJob, ItemValue>>();
  #feeds = new Map<string, Feed>();

  constructor(hub: WatchHub, queue: WorkQueue<ItemJob, ItemValue>) {
    this.#hub = hub;
    this.#queue = queue;
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
    const before = this.#feeds;
    const after = new Map<string, Feed>();
    this.#feeds = after;
    for (const [key, { kind, inputs: ofKind }] of byKind(inputs)) {
      const kept = before.get(key);
      after.set(key, kept !== undefined && sameInputs(kept.inputs, ofKind) ? kept : this.#listen(kind, ofKind));
    }
    for (const [key, feed] of before) if (after.get(key) !== feed) feed.subscription.close();
    await Promise.all([...after.values()].map(({ subscription }) => subscription.live));
  }

  close(): void {
    for (const { subscription } of this.#feeds.values()) subscription.close();
    this.#feeds.clear();
  }

  #listen(kind: Kind, inputs: readonly QueueInput[]): Feed {
    const targets = inputs.map((input) => ({ input, group: this.#groupOf(input) }));
    const subscription = this.#hub.subscribe(kind, (changes, backlog) => {
      for (const change of changes) {
        const { id } = change.metadata;
        for (const { input, group } of targets) {
          if (input.kind !== 'primary') {
            if (concerns(input, change)) this.#queue.put(group, id, change, backlog);
          } else if (!('id' in input.of) || input.of.id === id) {
            this.#queue.put(group, id, undefined, backlog);
          }
        }
      }
    });
    return { inputs, subscription };
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

/** Whether a change of a mapped input is to be mapped. */
export function concerns(input: MappedInput, { metadata, gone }: InputChange): boolean {
  if (input.mapper === noItems || ('id' in input.of && input.of.id !== metadata.id)) return false;
  if (input.kind === 'mapped') return true;
  return gone || (metadata.phase === 'tearingDown' && metadata.finalizers.length === 0);
}

/** Inputs that wake nobody need no watch. */
function byKind(inputs: readonly QueueInput[]) {
  const kinds = new Map<string, { readonly kind: Kind; readonly inputs: QueueInput[] }>();
  for (const input of inputs) {
    if (input.kind !== 'primary' && input.mapper === noItems) continue;
    const { namespace, type } = input.of;
    const key = pointerKey({ namespace, type });
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, { kind: { namespace, type }, inputs: [input] });
    else known.inputs.push(input);
  }
  return kinds;
}

function sameInputs(a: readonly QueueInput[], b: readonly QueueInput[]): boolean {
  return (
    a.length === b.length &&
    a.every((input, i) => {
      const other = b[i];
      if (other === undefined || input.kind !== other.kind || subjectKey(input.of) !== subjectKey(other.of))
        return false;
      return input.kind === 'primary' || other.kind === 'primary' || input.mapper === other.mapper;
    })
  );
}
