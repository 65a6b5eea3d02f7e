import type { Kind, Resource } from '@cosi-ts/resource';
import { Slot } from './slot.js';

/** Resources of one kind by id, in slots of their own. */
export type SlotsById = Map<string, Slot>;

/** Takes up what a store gives, before it is known where the histories begin. */
export class Intake {
  readonly #namespaces = new Map<string, Map<string, SlotsById>>();
  #last: SlotsById | undefined;
  #lastKind: Kind | undefined;

  /** False when there is a resource of that pointer already. */
  add(resource: Resource): boolean {
    const { metadata } = resource;
    const slots = this.#of(metadata);
    const { size } = slots;
    slots.set(metadata.id, new Slot(resource, undefined));
    // To look first would take as long again.
    return slots.size > size;
  }

  *kinds(): Iterable<readonly [kind: Kind, slots: SlotsById]> {
    for (const [namespace, types] of this.#namespaces) {
      for (const [type, slots] of types) yield [{ namespace, type }, slots];
    }
  }

  #of(kind: Kind): SlotsById {
    // Stores give one kind after the other.
    if (this.#last !== undefined && this.#lastKind?.type === kind.type && this.#lastKind.namespace === kind.namespace) {
      return this.#last;
    }
    const { namespace, type } = kind;
    let types = this.#namespaces.get(namespace);
    if (types === undefined) {
      types = new Map();
      this.#namespaces.set(namespace, types);
    }
    let slots = types.get(type);
    if (slots === undefined) {
      slots = new Map();
      types.set(type, slots);
    }
    this.#last = slots;
    this.#lastKind = { namespace, type };
    return slots;
  }
}
