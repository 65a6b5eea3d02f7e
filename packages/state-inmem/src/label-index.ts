import type { LabelQuery, LabelTerm, StringMap } from '@cosi-ts/resource';
import { compareSlots, type Slot, type SlotSet, SortedSlots } from './sorted-slots.js';

/** The slots whose label has one value. */
class Bucket implements SlotSet {
  readonly #slots = new Set<Slot>();
  readonly sorted = new SortedSlots(this);

  get size(): number {
    return this.#slots.size;
  }

  has(slot: Slot): boolean {
    return this.#slots.has(slot);
  }

  slots(): Iterable<Slot> {
    return this.#slots;
  }

  add(slot: Slot): void {
    this.#slots.add(slot);
    this.sorted.added(slot);
  }

  remove(slot: Slot): void {
    this.#slots.delete(slot);
    this.sorted.removed();
  }
}

type Buckets = Map<string, Bucket>;

/** Below this a look at every resource costs less than an index. */
const minIndexed = 64;
/** Keys come from queries, which can come from anyone: those that were asked for longest ago are given up. */
const maxKeys = 16;

/**
 * Finds slots by the values of labels. A key is indexed when the first query asks for it, and then kept up to date; an
 * update that keeps the labels object costs nothing.
 */
export class LabelIndex {
  readonly #all: SlotSet;
  /** The key that was asked for longest ago comes first. */
  readonly #keys = new Map<string, Buckets>();

  constructor(all: SlotSet) {
    this.#all = all;
  }

  added(slot: Slot): void {
    for (const [key, buckets] of this.#keys) add(buckets, labelValue(slot.resource.metadata.labels, key), slot);
  }

  removed(slot: Slot): void {
    for (const [key, buckets] of this.#keys) remove(buckets, labelValue(slot.resource.metadata.labels, key), slot);
  }

  /** To be told when a slot has got a new snapshot. */
  changed(slot: Slot, before: StringMap): void {
    const after = slot.resource.metadata.labels;
    if (before === after) return;
    for (const [key, buckets] of this.#keys) {
      const from = labelValue(before, key);
      const to = labelValue(after, key);
      if (from === to) continue;
      remove(buckets, from, slot);
      add(buckets, to, slot);
    }
  }

  /**
   * Slots in order, among which are all that match one of the queries, when the index can narrow them down; undefined
   * when every resource has to be looked at.
   */
  candidates(queries: readonly LabelQuery[]): readonly Slot[] | undefined {
    if (queries.length === 0 || this.#all.size < minIndexed) return undefined;
    const found: Bucket[] = [];
    for (const query of queries) {
      const buckets = this.#smallest(query);
      if (buckets === undefined) return undefined;
      found.push(...buckets);
    }
    const [only] = found;
    if (found.length <= 1) return only?.sorted.view() ?? [];
    return [...new Set(found.flatMap((bucket) => [...bucket.slots()]))].sort(compareSlots);
  }

  /** The buckets of the term that leaves the fewest; undefined when no term can use the index. */
  #smallest(query: LabelQuery): readonly Bucket[] | undefined {
    let best: readonly Bucket[] | undefined;
    let bestSize = Number.POSITIVE_INFINITY;
    for (const term of query.filter(indexable)) {
      const buckets = this.#bucketsOf(term);
      const size = buckets.reduce((sum, bucket) => sum + bucket.size, 0);
      if (size < bestSize) [best, bestSize] = [buckets, size];
    }
    return best;
  }

  #bucketsOf(term: LabelTerm): readonly Bucket[] {
    const buckets = this.#key(term.key);
    const values = term.op === 'equal' ? term.value.slice(0, 1) : [...new Set(term.value)];
    return values.flatMap((value) => buckets.get(value) ?? []);
  }

  #key(key: string): Buckets {
    const buckets = this.#keys.get(key) ?? this.#build(key);
    this.#keys.delete(key);
    this.#keys.set(key, buckets);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= maxKeys) break;
      this.#keys.delete(oldest);
    }
    return buckets;
  }

  #build(key: string): Buckets {
    const buckets: Buckets = new Map();
    for (const slot of this.#all.slots()) add(buckets, labelValue(slot.resource.metadata.labels, key), slot);
    return buckets;
  }
}

/** Terms that only resources with one of some values of the label can match. */
function indexable(term: LabelTerm): boolean {
  return (term.op === 'equal' || term.op === 'in') && !term.invert && term.value.length > 0;
}

function labelValue(labels: StringMap, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function add(buckets: Buckets, value: string | undefined, slot: Slot): void {
  if (value === undefined) return;
  let bucket = buckets.get(value);
  if (bucket === undefined) {
    bucket = new Bucket();
    buckets.set(value, bucket);
  }
  bucket.add(slot);
}

function remove(buckets: Buckets, value: string | undefined, slot: Slot): void {
  if (value === undefined) return;
  const bucket = buckets.get(value);
  bucket?.remove(slot);
  if (bucket?.size === 0) buckets.delete(value);
}
