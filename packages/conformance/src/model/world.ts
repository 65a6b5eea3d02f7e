import { compareUtf8 } from '@cosi-ts/resource';
import type { StateFeatures, UpdateCheck } from '../features.js';
import { type KindName, type PlainResource, unsetTime } from './plain.js';
import type { SentWrite } from './sent-write.js';

/** One change in the history of a world. */
export interface LogEntry {
  readonly kind: KindName;
  readonly type: 'created' | 'updated' | 'destroyed';
  readonly resource: PlainResource;
  readonly old: PlainResource | undefined;
}

/** What a state may be like inside: resources, and the log of all changes. Immutable. */
export interface World {
  readonly resources: ReadonlyMap<string, PlainResource>;
  readonly log: readonly LogEntry[];
}

export const emptyWorld: World = { resources: new Map(), log: [] };

/** What came of a write: the resource that was given back, nothing, or the code of an error. */
export type Outcome = { readonly resource: PlainResource } | { readonly done: true } | { readonly code: string };

const keyOf = (kind: KindName, id: string): string => `${kind} ${id}`;

export function stored(world: World, kind: KindName, id: string): PlainResource | undefined {
  return world.resources.get(keyOf(kind, id));
}

/** The resources of a kind in the order of lists. */
export function listed(world: World, kind: KindName): PlainResource[] {
  return [...world.resources]
    .flatMap(([key, resource]) => (key === keyOf(kind, resource.id) ? [resource] : []))
    .toSorted((a, b) => compareUtf8(a.id, b.id));
}

/** What the write does to the world, and what it must answer. The times are taken from what was answered. */
export function written(
  world: World,
  write: SentWrite,
  answer: Outcome,
  features: StateFeatures,
): { readonly world: World; readonly outcome: Outcome } {
  const { op, kind, id, content } = write;
  const present = stored(world, kind, id);
  const code = refusal(present, write, features);
  if (code !== undefined) return { world, outcome: { code } };
  const { created, updated } = 'resource' in answer ? answer.resource : { created: '', updated: '' };
  if (present === undefined) {
    const resource = { ...content, id, version: 1, created, updated: features.updatedOnCreate ? created : unsetTime };
    return changed(world, { kind, type: 'created', resource, old: undefined }, { resource });
  }
  if (op === 'destroy') {
    return changed(world, { kind, type: 'destroyed', resource: present, old: undefined }, { done: true });
  }
  const resource = { ...content, id, version: present.version + 1, created: present.created, updated };
  return changed(world, { kind, type: 'updated', resource, old: present }, { resource });
}

/** What stands against the write, in the order in which it is checked. */
function refusal(
  present: PlainResource | undefined,
  write: SentWrite,
  { updateChecks, errorCodes }: StateFeatures,
): string | undefined {
  if (write.op === 'create') return present === undefined ? undefined : 'already-exists';
  if (present === undefined) return 'not-found';
  const fails: Readonly<Record<UpdateCheck, boolean>> = {
    owner: write.owner !== present.owner,
    version: write.version !== present.version,
    phase: write.expectedPhase !== 'any' && (write.expectedPhase ?? 'running') !== present.phase,
  };
  if (write.op === 'destroy') {
    if (fails.owner) return 'owner-conflict';
    if (present.finalizers.length === 0) return undefined;
    return errorCodes ? 'pending-finalizers' : 'conflict';
  }
  const failed = updateChecks.find((check) => fails[check]);
  return failed === undefined ? undefined : `${failed}-conflict`;
}

function changed(world: World, entry: LogEntry, outcome: Outcome) {
  const resources = new Map(world.resources);
  const key = keyOf(entry.kind, entry.resource.id);
  if (entry.type === 'destroyed') resources.delete(key);
  else resources.set(key, entry.resource);
  return { world: { resources, log: [...world.log, entry] }, outcome };
}
