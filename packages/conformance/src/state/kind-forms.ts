import type { EventReader } from '../event-reader.js';
import type { KindWatchOptions, StateTest } from '../state-test.js';

/** The two forms of a watch of a kind, which give the same events. */
export interface KindForm {
  readonly name: 'watchKind' | 'watchKindAggregated';
  readonly open: (t: StateTest, options?: KindWatchOptions) => Promise<EventReader>;
}

export const kindForms: readonly KindForm[] = [
  { name: 'watchKind', open: (t, options) => t.watchKind(options) },
  { name: 'watchKindAggregated', open: (t, options) => t.watchKindAggregated(options) },
];
