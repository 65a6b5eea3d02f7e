import { compareUtf8, type Resource } from '@cosi-ts/resource';
import type { StoredPage } from './backing-store.js';
import { Slot } from './slot.js';

/** Some slots in the order of their ids. */
interface Segment {
  readonly ids: readonly string[];
  /** Where the slots come from that nobody has asked for yet. */
  readonly page: StoredPage | undefined;
  /** By the numbers of their ids; null where the resource has been destroyed. */
  readonly slots: (Slot | null | undefined)[];
  /** How many are not null. */
  size: number;
}

/**
 * What a store gave in the order of ids, searched by halving: to put a million slots into a map takes longer than to read
 * them. The slots of pages are made when someone asks for them.
 */
export class LoadedSlots {
  readonly #segments: Segment[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a resource at the end. False, and nothing happens, when that is not its place. */
  push(resource: Resource): boolean {
    const { id } = resource.metadata;
    if (!this.#isLast(id)) return false;
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.page !== undefined) {
      segment = { ids: [], page: undefined, slots: [], size: 0 };
      this.#segments.push(segment);
    }
    (segment.ids as string[]).push(id);
    segment.slots.push(new Slot(resource, undefined));
    segment.size++;
    this.#size++;
    return true;
  }

  /** Adds a page at the end. False, and nothing happens, when that is not its place, or it is out of order itself. */
  pushPage(page: StoredPage): boolean {
    const { ids } = page;
    const [first] = ids;
    if (first === undefined) return true;
    if (!this.#isLast(first)) return false;
    for (let i = 1; i < ids.length; i++) if (compareUtf8(ids[i - 1] as string, ids[i] as string) >= 0) return false;
    this.#segments.push({ ids, page, slots: [], size: ids.length });
    this.#size += ids.length;
    return true;
  }

  find(id: string): Slot | undefined {
    const segment = this.#segmentOf(id);
    const at = segment === undefined ? -1 : numberOf(segment.ids, id);
    return at === -1 ? undefined : slotOf(segment as Segment, at);
  }

  /** Gives up the slot of a resource that has been destroyed. */
  remove(id: string): void {
    const segment = this.#segmentOf(id);
    const at = segment === undefined ? -1 : numberOf(segment.ids, id);
    if (segment === undefined || at === -1 || segment.slots[at] === null) return;
    segment.slots[at] = null;
    this.#size--;
    if (--segment.size === 0) this.#segments.splice(this.#segments.indexOf(segment), 1);
  }

  /** All of them, in their order. */
  *values(): Iterable<Slot> {
    for (const segment of this.#segments) {
      for (let at = 0; at < segment.ids.length; at++) {
        const slot = slotOf(segment, at);
        if (slot !== undefined) yield slot;
      }
    }
  }

  #isLast(id: string): boolean {
    const last = this.#segments.at(-1)?.ids.at(-1);
    return last === undefined || compareUtf8(last, id) < 0;
  }

  /** The one in which the id would lie. */
  #segmentOf(id: string): Segment | undefined {
    let from = 0;
    let to = this.#segments.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareUtf8((this.#segments[middle] as Segment).ids[0] as string, id) <= 0) from = middle + 1;
      else to = middle;
    }
    return this.#segments[from - 1];
  }
}

/** −1: there is none. */
function numberOf(ids: readonly string[], id: string): number {
  let from = 0;
  let to = ids.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = compareUtf8(ids[middle] as string, id);
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return -1;
}

function slotOf({ page, slots }: Segment, at: number): Slot | undefined {
  const made = slots[at];
  if (made !== undefined) return made ?? undefined;
  const slot = new Slot((page as StoredPage).take(at), undefined);
  slots[at] = slot;
  return slot;
}
