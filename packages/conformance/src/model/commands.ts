import type { Phase } from '@cosi-ts/resource';
import * as fc from 'fast-check';
import type { StateFeatures } from '../features.js';
import type { KindName } from './plain.js';
import { type QueryName, queryNames } from './queries.js';

/** What a write leaves in a resource. */
export interface Content {
  readonly owner: string;
  readonly phase: Phase;
  readonly tier: string | undefined;
  readonly finalizers: readonly string[];
  readonly value: number;
}

export interface Create {
  readonly op: 'create';
  readonly kind: KindName;
  readonly id: string;
  readonly content: Content;
}

export interface Update {
  readonly op: 'update';
  readonly kind: KindName;
  readonly id: string;
  /** What is sent; what is left out stays as it was. */
  readonly content: Partial<Content>;
  /** How far the version that is sent is off. */
  readonly versionOff: number;
  /** On whose behalf; undefined: the owner's. */
  readonly owner: string | undefined;
  readonly expectedPhase: Phase | 'any' | undefined;
}

export interface Destroy {
  readonly op: 'destroy';
  readonly kind: KindName;
  readonly id: string;
  readonly owner: string | undefined;
}

export type Write = Create | Update | Destroy;

export interface Open {
  readonly op: 'open';
  readonly form: 'watch' | 'watchKind' | 'watchKindAggregated';
  readonly kind: KindName;
  readonly id: string;
  readonly query: QueryName;
  readonly bootstrapContents: boolean;
  readonly bootstrapBookmark: boolean;
  readonly tailEvents: number | undefined;
  /** The number of a bookmark that was seen, counted around. */
  readonly from: number | undefined;
}

export type Command =
  | Write
  | { readonly op: 'race'; readonly writes: readonly Write[] }
  | { readonly op: 'teardown'; readonly kind: KindName; readonly id: string; readonly owner: string | undefined }
  | {
      readonly op: 'finalizer';
      readonly kind: KindName;
      readonly id: string;
      readonly name: string;
      readonly add: boolean;
    }
  | { readonly op: 'get'; readonly kind: KindName; readonly id: string }
  | { readonly op: 'list'; readonly kind: KindName; readonly query: QueryName }
  | Open
  /** Reads so many items of the watch with that number, counted around, or as many as must be there. */
  | { readonly op: 'read'; readonly watch: number; readonly items: number }
  | { readonly op: 'close'; readonly watch: number };

/** The last two sort differently by UTF-16 units. */
const ids = ['a', 'b', '｡', '\u{1f600}'];

/** Sequences of commands that make sense often enough. */
export function commandsArbitrary(features: StateFeatures, maxLength: number): fc.Arbitrary<Command[]> {
  const kinds: KindName[] = features.namespaces ? ['items', 'others', 'elsewhere'] : ['items', 'others'];
  // Most of what happens should concern the same few resources.
  const kind = fc.oneof({ arbitrary: fc.constant<KindName>('items'), weight: 3 }, fc.constantFrom(...kinds));
  const id = fc.constantFrom(...ids);
  const where = { kind, id };
  const owner = fc.oneof({ arbitrary: fc.constant(''), weight: 4 }, fc.constant('me'));
  const behalf = fc.oneof({ arbitrary: fc.constant(undefined), weight: 5 }, fc.constantFrom('', 'me', 'you'));
  const phase = fc.oneof({ arbitrary: fc.constant<Phase>('running'), weight: 5 }, fc.constant<Phase>('tearingDown'));
  const expectedPhase = fc.constantFrom<(Phase | 'any' | undefined)[]>(
    undefined,
    'any',
    'any',
    'running',
    'tearingDown',
  );
  const tier = fc.constantFrom(undefined, 'web', 'web', 'db');
  const finalizers = fc.oneof(
    { arbitrary: fc.constant<string[]>([]), weight: 4 },
    fc.constantFrom(['f'], ['g', 'f'], ['f', 'g']),
  );
  const value = fc.nat({ max: 3 });
  const query = fc.constantFrom(...queryNames(features));
  const watch = fc.nat({ max: 7 });
  const content = { owner, phase, tier, finalizers, value };

  const create = fc.record<Create>({ op: fc.constant('create'), ...where, content: fc.record(content) });
  const update = fc.record<Update>({
    op: fc.constant('update'),
    ...where,
    content: fc.record(content, { requiredKeys: [] }),
    versionOff: fc.oneof({ arbitrary: fc.constant(0), weight: 6 }, fc.constantFrom(-1, 1)),
    owner: behalf,
    expectedPhase,
  });
  const destroy = fc.record<Destroy>({ op: fc.constant('destroy'), ...where, owner: behalf });
  const write = fc.oneof({ arbitrary: create, weight: 3 }, { arbitrary: update, weight: 4 }, destroy);

  const open = fc.record<Open>({
    op: fc.constant('open'),
    form: fc.constantFrom('watch', 'watchKind', 'watchKindAggregated'),
    ...where,
    query,
    bootstrapContents: fc.boolean(),
    bootstrapBookmark: features.bookmarks ? fc.boolean() : fc.constant(false),
    tailEvents: features.tailEvents
      ? fc.option(fc.integer({ min: -1, max: 6 }), { nil: undefined, freq: 2 })
      : fc.constant(undefined),
    from: features.bookmarks ? fc.option(fc.nat({ max: 30 }), { nil: undefined, freq: 2 }) : fc.constant(undefined),
  });
  return fc.array(
    fc.oneof(
      { arbitrary: write, weight: 10 },
      {
        arbitrary: fc.record({
          op: fc.constant('race' as const),
          writes: fc.array(write, { minLength: 2, maxLength: 3 }),
        }),
        weight: 2,
      },
      { arbitrary: fc.record({ op: fc.constant('teardown' as const), ...where, owner: behalf }), weight: 1 },
      {
        arbitrary: fc.record({
          op: fc.constant('finalizer' as const),
          ...where,
          name: fc.constantFrom('f', 'g'),
          add: fc.boolean(),
        }),
        weight: 2,
      },
      { arbitrary: fc.record({ op: fc.constant('get' as const), ...where }), weight: 1 },
      { arbitrary: fc.record({ op: fc.constant('list' as const), kind, query }), weight: 1 },
      { arbitrary: open.map(withoutExclusions), weight: 4 },
      { arbitrary: open, weight: 1 },
      {
        arbitrary: fc.record({ op: fc.constant('read' as const), watch, items: fc.integer({ min: 1, max: 4 }) }),
        weight: 6,
      },
      { arbitrary: fc.record({ op: fc.constant('close' as const), watch }), weight: 1 },
    ),
    { maxLength, size: 'max' },
  );
}

/** Most watches should be such as can be opened. */
function withoutExclusions(open: Open): Open {
  if (open.from !== undefined) return { ...open, bootstrapContents: false, tailEvents: undefined };
  return open.bootstrapContents ? { ...open, tailEvents: undefined } : open;
}
