import { isNotFound, type Kind, NotFoundError, type Pointer, pointerKey, type Resource } from '@cosi-ts/resource';
import type { CoreState, GetOptions, ListOptions } from '@cosi-ts/state';
import type { CacheReport } from '../report.js';
import type { ResolvedRuntimeOptions } from '../runtime-options.js';
import type { WatchHub } from '../watch-hub.js';
import { KindCache } from './kind-cache.js';

/** The caches of some kinds, each fed by the one watch of its kind. */
export class ReadCache {
  readonly #caches = new Map<string, KindCache>();

  constructor(kinds: readonly Kind[], core: CoreState, options: ResolvedRuntimeOptions) {
    for (const { namespace, type } of kinds) {
      const read = async (id: string, signal: AbortSignal) => {
        try {
          return await core.get({ namespace, type, id }, { signal });
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      };
      this.#caches.set(keyOf({ namespace, type }), new KindCache({ namespace, type }, read, options));
    }
  }

  get isEmpty(): boolean {
    return this.#caches.size === 0;
  }

  /** Undefined when the kind is not cached, or not any more. */
  readonly of = (kind: Kind): KindCache | undefined => {
    if (this.#caches.size === 0) return undefined;
    const cache = this.#caches.get(keyOf(kind));
    return cache?.isClosed === true ? undefined : cache;
  };

  /** Keeps the watches of the kinds open, whoever else listens to them. */
  follow(hub: WatchHub): void {
    for (const { kind } of this.#caches.values()) hub.subscribe(kind, () => undefined);
  }

  /** In the order of namespace and type. */
  report(hub: WatchHub): readonly CacheReport[] {
    const watches = new Map(hub.report().map((watch) => [keyOf(watch), watch]));
    const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    return [...this.#caches.values()]
      .map((cache): CacheReport => {
        const { status = 'starting', reason, lastActivity } = watches.get(keyOf(cache.kind)) ?? {};
        return {
          ...cache.kind,
          status: cache.isClosed ? 'stopped' : cache.isReady || status !== 'live' ? status : 'starting',
          reason,
          lastActivity,
          resources: cache.size,
          unconfirmedWrites: cache.unconfirmed,
        };
      })
      .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.type, b.type));
  }
}

/** Rejects with `not-found`; what is asked with a declaration is read by it. */
export async function cachedGet(cache: KindCache, pointer: Pointer, options: GetOptions = {}): Promise<Resource> {
  const { declaration } = pointer as { readonly declaration?: Reader };
  const resource = await cache.get(pointer.id, options.signal);
  if (resource === undefined) throw new NotFoundError(pointer);
  return declaration === undefined ? resource : declaration.from(resource);
}

/** What is asked with a declaration is read by it. */
export async function cachedList(cache: KindCache, kind: Kind, options?: ListOptions): Promise<readonly Resource[]> {
  const { declaration } = kind as { readonly declaration?: Reader };
  const resources = await cache.list(options);
  return declaration === undefined ? resources : Object.freeze(resources.map((resource) => declaration.from(resource)));
}

interface Reader {
  from(resource: Resource): Resource;
}

function keyOf({ namespace, type }: Kind): string {
  return pointerKey({ namespace, type });
}
