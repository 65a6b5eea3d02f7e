import type { StateFeatures } from '@cosi-ts/conformance';
import {
  ConflictError,
  type CosiError,
  isInvalidArgument,
  isPendingFinalizers,
  isVersionConflict,
  type Kind,
  pointerKey,
  type Timestamp,
  UnknownError,
  UnsupportedError,
} from '@cosi-ts/resource';
import type { CoreState, Event, WatchKindOptions } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { alteredEvents, alteredResources, brokenCore, type CoreMethods } from './broken/broken-state.js';
import { outcomes } from './collect.js';

type Lack = readonly [feature: keyof StateFeatures, supports: Partial<StateFeatures>, alter: Alter];
type Alter = (core: CoreMethods) => Partial<CoreState>;

/** The operations with queries, which refuse some options as unsupported. */
function refusing(core: CoreMethods, refuses: (options: WatchKindOptions) => boolean): Partial<CoreState> {
  const checked = <O extends WatchKindOptions>(options: O | undefined): O | undefined => {
    if (options !== undefined && refuses(options)) throw new UnsupportedError('this state cannot do that');
    return options;
  };
  return {
    list: async (kind, options) => core.list(kind, checked(options)),
    watch: async (pointer, options) => core.watch(pointer, checked(options)),
    watchKind: async (kind, options) => core.watchKind(kind, checked(options)),
    watchKindAggregated: async (kind, options) => core.watchKindAggregated(kind, checked(options)),
  };
}

const unmarked = (event: Event): Event => {
  const { bookmark: _, ...rest } = event as Event & { bookmark?: unknown };
  return rest as Event;
};

const unknown = ({ message, subject }: CosiError) => new UnknownError(message, { subject });

/** Options that exclude each other are `unknown`, other invalid ones stay what they are. */
const excluded =
  ({ tailEvents = 0, startFromBookmark, bootstrapContents = false }: WatchKindOptions = {}) =>
  (error: unknown): never => {
    const starts = [tailEvents > 0, startFromBookmark !== undefined, bootstrapContents].filter(Boolean).length;
    throw isInvalidArgument(error) && starts > 1 ? unknown(error) : error;
  };

/** States that lack a feature, and say so. */
const lacks: readonly Lack[] = [
  ['labelQueries', { labelQueries: false }, (core) => refusing(core, ({ labels }) => (labels ?? []).length > 0)],
  ['idQueries', { idQueries: false }, (core) => refusing(core, ({ id }) => id !== undefined)],
  ['tailEvents', { tailEvents: false }, (core) => refusing(core, ({ tailEvents }) => (tailEvents ?? 0) > 0)],
  [
    'bookmarks',
    { bookmarks: false },
    (core) =>
      refusing(
        { ...core, ...alteredEvents(core, () => unmarked) },
        ({ startFromBookmark, bootstrapBookmark }) => startFromBookmark !== undefined || bootstrapBookmark === true,
      ),
  ],
  [
    'presentBookmark',
    { presentBookmark: false },
    (core) =>
      alteredEvents(core, ({ name, options }) => {
        let first = name === 'watch' && options.startFromBookmark === undefined && !((options.tailEvents ?? 0) > 0);
        return (event) => {
          const given = first ? unmarked(event) : event;
          first = false;
          return given;
        };
      }),
  ],
  [
    'oldOnUpdated',
    { oldOnUpdated: false },
    (core) =>
      alteredEvents(core, () => (event) => {
        if (event.type !== 'updated') return event;
        const { old: _, ...rest } = event;
        return rest;
      }),
  ],
  [
    'exactNumbers',
    { exactNumbers: false },
    (core) => ({
      list: async (kind, options) =>
        JSON.stringify(options?.labels ?? []).includes('0'.repeat(20)) ? [] : core.list(kind, options),
    }),
  ],
  [
    'nameRules',
    { nameRules: false },
    (core) => ({
      create: async (resource, options) => {
        try {
          return await core.create(resource, options);
        } catch (error) {
          if (!isInvalidArgument(error) || resource.metadata.owner !== '') throw error;
          return resource.withMetadata(resource.metadata.with({ version: 1n }));
        }
      },
    }),
  ],
  [
    'updatedOnCreate',
    { updatedOnCreate: false },
    (core) => {
      const sent = new Map<string, Timestamp>();
      const altered = alteredResources(core, (resource) => {
        const updated = resource.metadata.version === 1n ? sent.get(pointerKey(resource.metadata)) : undefined;
        return updated === undefined ? resource : resource.withMetadata(resource.metadata.with({ updated }));
      });
      return {
        ...altered,
        create: async (resource, options) => {
          sent.set(pointerKey(resource.metadata), resource.metadata.updated);
          return altered.create(resource, options);
        },
      };
    },
  ],
  [
    'errorCodes',
    // Destroying what came to life anew meanwhile is not told apart from what went wrong.
    { errorCodes: false, sharedTeardowns: false },
    (core) => ({
      create: (resource, options) =>
        core.create(resource, options).catch((error: unknown) => {
          throw isInvalidArgument(error) && resource.metadata.owner !== '' ? unknown(error) : error;
        }),
      destroy: (...args) =>
        core.destroy(...args).catch((error: unknown) => {
          throw isPendingFinalizers(error) ? new ConflictError(error.message, { subject: error.subject }) : error;
        }),
      watch: (pointer, options) => core.watch(pointer, options).catch(excluded(options)),
      watchKind: (kind, options) => core.watchKind(kind, options).catch(excluded(options)),
      watchKindAggregated: (kind, options) => core.watchKindAggregated(kind, options).catch(excluded(options)),
    }),
  ],
  [
    'bookmarksAcrossKinds',
    { bookmarksAcrossKinds: false, openWatches: false },
    () => {
      const states = new Map<string, InMemoryState>();
      const of = ({ type }: Kind) => {
        const found = states.get(type) ?? new InMemoryState({ history: { maxEvents: 80 } });
        states.set(type, found);
        return found;
      };
      return {
        get: async (pointer, options) => of(pointer).get(pointer, options),
        list: async (kind, options) => of(kind).list(kind, options),
        create: async (resource, options) => of(resource.metadata).create(resource, options),
        update: async (resource, options) => of(resource.metadata).update(resource, options),
        destroy: async (pointer, options) => of(pointer).destroy(pointer, options),
        watch: async (pointer, options) => of(pointer).watch(pointer, options),
        watchKind: async (kind, options) => of(kind).watchKind(kind, options),
        watchKindAggregated: async (kind, options) => of(kind).watchKindAggregated(kind, options),
        close: async () => {
          for (const state of states.values()) await state.close();
        },
      };
    },
  ],
  ['close', { close: false }, () => ({ close: undefined }) as Partial<CoreState>],
  [
    'updateChecks',
    { updateChecks: ['version', 'owner', 'phase'] },
    (core) => ({
      update: async (resource, given) => {
        const options = { ...given };
        const stored = await core.get(resource.metadata).catch(() => undefined);
        if (stored === undefined) return core.update(resource, options);
        // An update for the owner, in any phase, fails for its version alone.
        const { owner } = stored.metadata;
        if (stored.metadata.version !== resource.metadata.version) {
          await core.update(resource, { ...options, owner, expectedPhase: 'any' }).catch((error: unknown) => {
            if (isVersionConflict(error)) throw error;
          });
        }
        return core.update(resource, options);
      },
    }),
  ],
];

async function failures(supports: Partial<StateFeatures>, alter: Alter): Promise<readonly string[]> {
  const results = await outcomes(brokenCore('S1', 'of these features', alter, { supports }));
  return results.flatMap(({ title, error }) => (error === undefined ? [] : [`${title}: ${String(error)}`]));
}

describe('declarations of features', () => {
  it('hold for the state that is altered here', async () => {
    expect(await failures({}, () => ({}))).toEqual([]);
  });

  it.each(lacks)('a state without %s that says so passes', async (_, supports, alter) => {
    expect(await failures(supports, alter)).toEqual([]);
  });

  it.each(lacks)('a state without %s that does not say so fails', async (_, __, alter) => {
    expect(await failures({}, alter)).not.toEqual([]);
  });

  it.each(lacks)('a state that denies its %s fails', async (_, supports) => {
    expect(await failures(supports, () => ({}))).not.toEqual([]);
  });

  it.each<Partial<StateFeatures>>([
    { nativeTeardown: true },
    { nativeTeardownAndDestroy: true },
    { namespaces: false },
    { historyEvents: 200, overrunEvents: 300 },
    { historyEvents: 20, overrunEvents: 40 },
  ])('a state of which %o is not true fails', async (supports) => {
    expect(await failures(supports, () => ({}))).not.toEqual([]);
  });
});
