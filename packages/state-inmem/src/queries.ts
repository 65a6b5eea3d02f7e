import { type IdQuery, idQuery, type LabelQuery, labelQueries } from '@cosi-ts/resource';
import type { QueryOptions } from '@cosi-ts/state';

/** The queries of a list or watch, checked. */
export interface Queries {
  readonly labels: readonly LabelQuery[];
  readonly id: IdQuery | undefined;
  /** True when every resource matches. */
  readonly matchAll: boolean;
}

/** Throws for queries that are none. */
export function resolveQueries(options: QueryOptions): Queries {
  const labels = labelQueries(options.labels);
  const id = options.id === undefined ? undefined : idQuery(options.id);
  const matchAll = id === undefined && (labels.length === 0 || labels.some((query) => query.length === 0));
  return { labels, id, matchAll };
}
