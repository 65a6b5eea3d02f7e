import { label } from '@cosi-ts/resource';
import type { QueryOptions } from '@cosi-ts/state';
import type { StateFeatures } from '../features.js';
import type { PlainResource } from './plain.js';

/** A query, and what it matches according to the model. */
interface ModelQuery {
  readonly options: QueryOptions;
  readonly matches: (resource: PlainResource) => boolean;
  readonly needs: readonly ('labelQueries' | 'idQueries')[];
}

const queries = {
  all: { options: {}, matches: () => true, needs: [] },
  web: {
    options: { labels: [label('tier').is('web')] },
    matches: ({ tier }) => tier === 'web',
    needs: ['labelQueries'],
  },
  notWeb: {
    options: { labels: [label('tier').isNot('web')] },
    matches: ({ tier }) => tier !== 'web',
    needs: ['labelQueries'],
  },
  either: {
    options: { labels: [[label('tier').is('db')], [label('tier').absent()]] },
    matches: ({ tier }) => tier === 'db' || tier === undefined,
    needs: ['labelQueries'],
  },
  ids: { options: { id: '^[a-z]' }, matches: ({ id }) => /^[a-z]/.test(id), needs: ['idQueries'] },
  webIds: {
    options: { labels: [label('tier').exists()], id: 'a|b' },
    matches: ({ tier, id }) => tier !== undefined && /[ab]/.test(id),
    needs: ['labelQueries', 'idQueries'],
  },
} as const satisfies Record<string, ModelQuery>;

export type QueryName = keyof typeof queries;

export const modelQueries: Readonly<Record<QueryName, ModelQuery>> = queries;

export function queryNames(features: StateFeatures): QueryName[] {
  const names = Object.keys(queries) as QueryName[];
  return names.filter((name) => modelQueries[name].needs.every((feature) => features[feature]));
}
