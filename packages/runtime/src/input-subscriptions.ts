import { type Kind, pointerKey } from '@cosi-ts/resource';
import type { InputListener, InputSubscription } from './input-watch.js';
import type { DeclaredInput } from './inputs.js';
import type { InputChange } from './known-resources.js';
import type { WatchHub } from './watch-hub.js';

/** How the following of inputs has begun. */
export interface Following {
  /** Resolves when no change of any input is missed any more. */
  readonly live: Promise<void>;
  /** Resolves with true at the time of `live`, or before, with false, when an input cannot be listed. */
  readonly tried: Promise<boolean>;
}

interface Feed<I> {
  readonly inputs: readonly I[];
  readonly subscription: InputSubscription;
}

/** What a controller listens to: one subscription for each kind among its inputs, kept when the inputs are replaced. */
export class InputSubscriptions<I extends DeclaredInput> {
  readonly #hub: WatchHub;
  readonly #listener: (inputs: readonly I[]) => InputListener;
  readonly #isSame: (a: I, b: I) => boolean;
  #feeds = new Map<string, Feed<I>>();

  /**
   * @param listener for the inputs of one kind
   * @param isSame whether the listener of one input serves for another one of the same kind and subject
   */
  constructor(hub: WatchHub, listener: (inputs: readonly I[]) => InputListener, isSame: (a: I, b: I) => boolean) {
    this.#hub = hub;
    this.#listener = listener;
    this.#isSame = isSame;
  }

  /** Listens to these inputs and to no others. */
  follow(inputs: readonly I[]): Following {
    const before = this.#feeds;
    const after = new Map<string, Feed<I>>();
    this.#feeds = after;
    for (const [key, ofKind] of byKind(inputs)) {
      const kept = before.get(key);
      after.set(key, kept !== undefined && this.#areSame(kept.inputs, ofKind) ? kept : this.#listen(ofKind));
    }
    for (const [key, feed] of before) if (after.get(key) !== feed) feed.subscription.close();
    const subscriptions = [...after.values()].map(({ subscription }) => subscription);
    const live = Promise.all(subscriptions.map((each) => each.live)).then(() => undefined);
    return { live, tried: allTried(subscriptions) };
  }

  close(): void {
    for (const { subscription } of this.#feeds.values()) subscription.close();
    this.#feeds.clear();
  }

  #listen(inputs: readonly [I, ...I[]]): Feed<I> {
    const { namespace, type } = inputs[0].of;
    return { inputs, subscription: this.#hub.subscribe({ namespace, type }, this.#listener(inputs)) };
  }

  #areSame(a: readonly I[], b: readonly I[]): boolean {
    return (
      a.length === b.length &&
      a.every((input, i) => {
        const other = b[i];
        if (other === undefined || input.kind !== other.kind) return false;
        return subjectKey(input.of) === subjectKey(other.of) && this.#isSame(input, other);
      })
    );
  }
}

/** Different for a kind and for a resource with an empty id. */
export function subjectKey(subject: DeclaredInput['of']): string {
  return 'id' in subject ? `resource ${pointerKey(subject)}` : `kind ${pointerKey(subject)}`;
}

/** Whether an input counts the change of a resource of its kind. */
export function concerns(input: DeclaredInput, { metadata, gone }: InputChange): boolean {
  if ('id' in input.of && input.of.id !== metadata.id) return false;
  if (input.kind !== 'destroy-ready' && input.kind !== 'mapped-destroy-ready') return true;
  return gone || (metadata.phase === 'tearingDown' && metadata.finalizers.length === 0);
}

function byKind<I extends { readonly of: Kind }>(inputs: readonly I[]): Map<string, [I, ...I[]]> {
  const kinds = new Map<string, [I, ...I[]]>();
  for (const input of inputs) {
    const { namespace, type } = input.of;
    const key = pointerKey({ namespace, type });
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, [input]);
    else known.push(input);
  }
  return kinds;
}

/** True when all are live; false as soon as one has failed. */
function allTried(subscriptions: readonly InputSubscription[]): Promise<boolean> {
  return new Promise((resolve) => {
    for (const { tried } of subscriptions) void tried.then((live) => live || resolve(false));
    void Promise.all(subscriptions.map((each) => each.tried)).then((all) => resolve(all.every((live) => live)));
  });
}
