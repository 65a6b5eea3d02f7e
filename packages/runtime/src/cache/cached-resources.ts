import {
  compareUtf8,
  idQuery,
  type LabelQuery,
  type LabelTerm,
  labelMatcher,
  labelQueries,
  matchesId,
  type Resource,
} from '@cosi-ts/resource';
import type { QueryOptions } from '@cosi-ts/state';

type Values = Map<string, Set<string>>;

/** Keys come from queries: those that were asked for longest ago are given up. */
const maxIndexedKeys = 16;

/**
 * The resources of one kind, listed in the order of their ids. What equals or is in some values of a label is found
 * through an index, which is made for a key when a query first asks for it.
 */
export class CachedResources {
  readonly #resources = new Map<string, Resource>();
  readonly #indexes = new Map<string, Values>();
  /** Undefined until a list needs it: to fill it one by one while much comes in takes longer. */
  #order: string[] | undefined;

  get size(): number {
    return this.#resources.size;
  }

  ids(): Iterable<string> {
    return this.#resources.keys();
  }

  get(id: string): Resource | undefined {
    return this.#resources.get(id);
  }

  set(resource: Resource): void {
    const { id } = resource.metadata;
    const before = this.#resources.get(id);
    this.#resources.set(id, resource);
    if (before === undefined) this.#order?.splice(placeOf(this.#order, id), 0, id);
    for (const [key, values] of this.#indexes) {
      const [from, to] = [before && valueIn(before, key), valueIn(resource, key)];
      if (from === to) continue;
      drop(values, from, id);
      add(values, to, id);
    }
  }

  delete(id: string): void {
    const before = this.#resources.get(id);
    if (before === undefined) return;
    this.#resources.delete(id);
    this.#order?.splice(placeOf(this.#order, id), 1);
    for (const [key, values] of this.#indexes) drop(values, valueIn(before, key), id);
  }

  /** Throws `invalid-argument` for queries that are none. */
  list(options: QueryOptions = {}): readonly Resource[] {
    const query = options.id === undefined ? undefined : idQuery(options.id);
    const queries = labelQueries(options.labels);
    const matches = labelMatcher(queries);
    const found: Resource[] = [];
    for (const id of this.#candidates(queries) ?? this.#sorted()) {
      const resource = this.#resources.get(id);
      if (resource !== undefined && matchesId(query, id) && matches(resource.metadata.labels)) found.push(resource);
    }
    return Object.freeze(found);
  }

  #sorted(): readonly string[] {
    this.#order ??= [...this.#resources.keys()].sort(compareUtf8);
    return this.#order;
  }

  /** Sorted ids among which are all that match; undefined when that can be any. */
  #candidates(queries: readonly LabelQuery[]): readonly string[] | undefined {
    if (queries.length === 0) return undefined;
    const found = new Set<string>();
    for (const query of queries) {
      const sets = this.#fewest(query);
      if (sets === undefined) return undefined;
      for (const set of sets) for (const id of set) found.add(id);
    }
    return [...found].sort(compareUtf8);
  }

  #fewest(query: LabelQuery): readonly ReadonlySet<string>[] | undefined {
    let best: readonly ReadonlySet<string>[] | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const term of query.filter(isIndexable)) {
      const values = this.#index(term.key);
      const asked = term.op === 'equal' ? term.value.slice(0, 1) : term.value;
      const sets = asked.flatMap((value) => values.get(value) ?? []);
      const size = sets.reduce((sum, set) => sum + set.size, 0);
      if (size < fewest) [best, fewest] = [sets, size];
    }
    return best;
  }

  #index(key: string): Values {
    let values = this.#indexes.get(key);
    if (values === undefined) {
      values = new Map();
      for (const [id, resource] of this.#resources) add(values, valueIn(resource, key), id);
    }
    this.#indexes.delete(key);
    this.#indexes.set(key, values);
    for (const oldest of this.#indexes.keys()) {
      if (this.#indexes.size <= maxIndexedKeys) break;
      this.#indexes.delete(oldest);
    }
    return values;
  }
}

/** Terms that only resources with one of some values of the label can match. */
function isIndexable({ op, invert, value }: LabelTerm): boolean {
  return (op === 'equal' || op === 'in') && !invert && value.length > 0;
}

function valueIn({ metadata: { labels } }: Resource, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function add(values: Values, value: string | undefined, id: string): void {
  if (value === undefined) return;
  const ids = values.get(value);
  if (ids === undefined) values.set(value, new Set([id]));
  else ids.add(id);
}

function drop(values: Values, value: string | undefined, id: string): void {
  if (value === undefined) return;
  const ids = values.get(value);
  ids?.delete(id);
  if (ids?.size === 0) values.delete(value);
}

/** Where the id is, or would be. */
function placeOf(order: readonly string[], id: string): number {
  let [from, to] = [0, order.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareUtf8(order[middle] as string, id) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
