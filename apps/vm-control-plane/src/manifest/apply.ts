import {
  type CosiError,
  isConflict,
  isNotFound,
  type Pointer,
  pointerKey,
  VersionConflictError,
} from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import { userTypes } from '../resources/registry.js';
import { describe, type ManifestEntry } from './manifest.js';
import { type Place, placeText } from './manifest-error.js';

export interface ApplyOptions {
  /** Tear down what is of a type that the manifest holds, but is not in it. Default: false. */
  readonly prune?: boolean;
  /** Only tell what would be done. Default: false. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What was done about one document, or would be. */
export interface Applied extends Place {
  readonly type: string;
  readonly id: string;
  readonly result: 'created' | 'updated' | 'unchanged';
}

export interface ApplyReport {
  readonly dryRun: boolean;
  readonly applied: readonly Applied[];
  readonly pruned: readonly { readonly type: string; readonly id: string }[];
}

/** A document could not be applied because of what is in the state. Those before it were. */
export class ApplyConflict extends Error {
  constructor(
    readonly failed: ManifestEntry,
    readonly applied: readonly Applied[],
    /** How many documents were not looked at. */
    readonly left: number,
    override readonly cause: CosiError,
  ) {
    const progress = `${applied.length} were applied before it, ${left} were not looked at`;
    super(`${placeText(failed.place)}: ${describe(failed.resource.metadata)}: ${cause.message} (${progress})`);
    this.name = 'ApplyConflict';
  }
}

/**
 * Makes the state hold what the manifest says, in its order: spec, labels and annotations. A document that names a
 * version is applied to that version only. Rejects with {@link ApplyConflict}; nothing is pruned then.
 */
export async function applyManifest(
  state: State,
  entries: readonly ManifestEntry[],
  options: ApplyOptions = {},
): Promise<ApplyReport> {
  const { prune = false, dryRun = false, signal } = options;
  const applied: Applied[] = [];
  for (const [i, entry] of entries.entries()) {
    const { type, id } = entry.resource.metadata;
    try {
      const result = dryRun ? await foretell(state, entry, signal) : await applyEntry(state, entry, signal);
      applied.push({ ...entry.place, type, id, result });
    } catch (error) {
      if (!isConflict(error)) throw error;
      throw new ApplyConflict(entry, applied, entries.length - i - 1, error);
    }
  }
  const pruned = prune ? await pruneOthers(state, entries, dryRun, signal) : [];
  return { dryRun, applied, pruned };
}

async function applyEntry(state: State, { resource }: ManifestEntry, signal?: AbortSignal): Promise<Applied['result']> {
  const { declaration, metadata } = resource;
  const before = await find(state, metadata, signal);
  checkVersion(resource.metadata, before);
  const after = await state.modify(
    resource,
    (draft) => {
      draft.spec = declaration.codec.draft(resource.content.valueFor(declaration));
      draft.metadata.labels = metadata.labels;
      draft.metadata.annotations = metadata.annotations;
    },
    { signal },
  );
  if (before === undefined) return 'created';
  return after.metadata.version === before.metadata.version ? 'unchanged' : 'updated';
}

async function foretell(state: State, { resource }: ManifestEntry, signal?: AbortSignal): Promise<Applied['result']> {
  const { metadata } = resource;
  const before = await find(state, metadata, signal);
  checkVersion(metadata, before);
  if (before === undefined) return 'created';
  const { labels, annotations } = metadata;
  const wanted = resource.withMetadata(before.metadata.with({ labels, annotations }));
  return wanted.equals(before) ? 'unchanged' : 'updated';
}

function checkVersion({ version, ...pointer }: ManifestEntry['resource']['metadata'], before: Found): void {
  if (version === undefined || before === undefined || before.metadata.version === version) return;
  throw new VersionConflictError(pointer, version, before.metadata.version);
}

type Found = Awaited<ReturnType<typeof find>>;

async function find(state: State, pointer: Pointer, signal?: AbortSignal) {
  const { namespace, type, id } = pointer;
  try {
    return await state.get({ namespace, type, id }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function pruneOthers(state: State, entries: readonly ManifestEntry[], dryRun: boolean, signal?: AbortSignal) {
  const named = new Set(entries.map(({ resource }) => pointerKey(resource.metadata)));
  const types = new Set(entries.map(({ resource }) => resource.metadata.type));
  const pruned: { type: string; id: string }[] = [];
  for (const { kind } of userTypes) {
    if (!types.has(kind.type)) continue;
    for (const { metadata } of await state.list({ namespace: kind.namespace, type: kind.type }, { signal })) {
      const isOthers = metadata.owner !== '' || metadata.phase === 'tearingDown';
      if (isOthers || named.has(pointerKey(metadata))) continue;
      if (!dryRun) await teardown(state, metadata, signal);
      pruned.push({ type: metadata.type, id: metadata.id });
    }
  }
  return pruned;
}

async function teardown(state: State, pointer: Pointer, signal?: AbortSignal): Promise<void> {
  try {
    await state.teardown(pointer, { signal });
  } catch (error) {
    // Someone else was quicker.
    if (!isNotFound(error)) throw error;
  }
}
