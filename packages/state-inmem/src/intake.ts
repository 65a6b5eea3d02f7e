import type { Kind, Resource } from '@cosi-ts/resource';
import type { StoredPage } from './backing-store.js';
import { SlotTable } from './slot-table.js';

/** Takes up what a store gives, before it is known where the histories begin. */
export class Intake {
  readonly #namespaces = new Map<string, Map<string, SlotTable>>();
  #last: SlotTable | undefined;
  #lastKind: Kind | undefined;

  /** False when there is a resource of that pointer already. */
  add(resource: Resource): boolean {
    return this.#of(resource.metadata).load(resource);
  }

  /** Gives a resource of the page that is there already, if there is one. */
  addPage(page: StoredPage): Resource | undefined {
    return this.#of(page.kind).loadPage(page);
  }

  *kinds(): Iterable<readonly [kind: Kind, slots: SlotTable]> {
    for (const [namespace, types] of this.#namespaces) {
      for (const [type, slots] of types) yield [{ namespace, type }, slots];
    }
  }

  #of(kind: Kind): SlotTable {
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
      slots = new SlotTable();
      types.set(type, slots);
    }
    this.#last = slots;
    this.#lastKind = { namespace, type };
    return slots;
  }
}
