import {
  AlreadyExistsError,
  isResource,
  NotFoundError,
  OwnerConflictError,
  PendingFinalizersError,
  PhaseConflictError,
  type Pointer,
  parsePhase,
  type Resource,
  VersionConflictError,
} from '@cosi-ts/resource';
import { type CreateOptions, checkNewPointer, type DestroyOptions, type UpdateOptions } from '@cosi-ts/state';
import type { StoreChange } from './backing-store.js';
import type { StateClock } from './state-clock.js';

/** What a create does. Throws what stands against it. */
export function creation(
  stored: Resource | undefined,
  resource: Resource,
  options: CreateOptions,
  clock: StateClock,
): StoreChange {
  checkResource(resource);
  const { metadata } = resource;
  checkNewPointer(metadata);
  if (stored !== undefined) throw new AlreadyExistsError(pointerOf(metadata));
  const { owner } = metadata.withOwner(options.owner ?? '');
  const created = clock.next();
  return {
    type: 'created',
    resource: resource.withMetadata(metadata.with({ version: 1n, owner, created, updated: created })),
  };
}

/** What an update does. Throws what stands against it, in the order of the rules. */
export function replacement(
  stored: Resource | undefined,
  resource: Resource,
  options: UpdateOptions,
  clock: StateClock,
): StoreChange {
  checkResource(resource);
  const { metadata } = resource;
  const { owner = '' } = options;
  const expectedPhase = options.expectedPhase === 'any' ? 'any' : parsePhase(options.expectedPhase ?? 'running');
  if (stored === undefined) throw new NotFoundError(pointerOf(metadata));
  const { version, phase, created } = stored.metadata;
  checkOwner(stored, owner);
  if (metadata.version !== version) throw new VersionConflictError(pointerOf(metadata), metadata.version, version);
  if (expectedPhase !== 'any' && phase !== expectedPhase) {
    throw new PhaseConflictError(pointerOf(metadata), phase, expectedPhase);
  }
  // A peer may have stored a resource without a version: its next one is the first.
  const next = metadata.with({ version: (version ?? 0n) + 1n, created, updated: clock.next() });
  return { type: 'updated', resource: resource.withMetadata(next), old: stored };
}

/** What a destroy does. Throws what stands against it, in the order of the rules. */
export function removal(stored: Resource | undefined, pointer: Pointer, options: DestroyOptions): StoreChange {
  if (stored === undefined) throw new NotFoundError(pointerOf(pointer));
  checkOwner(stored, options.owner ?? '');
  const { finalizers } = stored.metadata;
  if (finalizers.length > 0) throw new PendingFinalizersError(pointerOf(pointer), finalizers);
  return { type: 'destroyed', resource: stored };
}

/** What is stored is shared with readers: it has to be a snapshot, and not only look like one. */
function checkResource(resource: unknown): void {
  if (!isResource(resource)) throw new TypeError('what is stored must be a resource');
}

function checkOwner(stored: Resource, given: string): void {
  const { metadata } = stored;
  if (metadata.owner !== given) throw new OwnerConflictError(pointerOf(metadata), metadata.owner, given);
}

/** The pointer alone: an error is not to hold on to a snapshot. */
function pointerOf({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}
