import {
  Draft,
  isAlreadyExists,
  isNotFound,
  isVersionConflict,
  type Phase,
  PhaseConflictError,
  type Pointer,
  type Resource,
  TypedDraft,
  TypedResource,
} from '@cosi-ts/resource';
import type { CoreState, UpdateOptions } from './core-state.js';
import { givenOptions, givenPointer } from './given.js';

/** Changes a draft in place. What it throws ends the operation and reaches the caller. */
export type Change<D extends Draft> = (draft: D) => void | Promise<void>;

/**
 * Reads, changes, writes when the result differs, and begins again when someone else wrote in between. The expected
 * phase (default: running) is checked also when nothing changes. Gives back the present resource.
 */
export async function updateWithConflicts(
  state: CoreState,
  read: (stored: Resource) => Resource,
  pointer: Pointer,
  change: Change<Draft>,
  options: UpdateOptions,
): Promise<Resource> {
  const [at, given] = [givenPointer(pointer), givenOptions(options)];
  for (;;) {
    const stored = read(await state.get(at, callOptions(given)));
    checkPhase(stored, given.expectedPhase ?? 'running');
    const changed = await applied(draftOf(stored), change);
    if (changed.equals(stored)) return stored;
    try {
      return await state.update(changed, given);
    } catch (error) {
      if (!isVersionConflict(error)) throw error;
    }
  }
}

/** Creates the resource from what the function makes of a new draft when it is absent, else as {@link updateWithConflicts}. */
export async function modify(
  state: CoreState,
  read: (stored: Resource) => Resource,
  pointer: Pointer,
  blank: () => Draft,
  change: Change<Draft>,
  options: UpdateOptions,
): Promise<Resource> {
  const [at, given] = [givenPointer(pointer), givenOptions(options)];
  for (;;) {
    try {
      return await updateWithConflicts(state, read, at, change, given);
    } catch (error) {
      if (!isNotFound(error) || !isAbout(error.subject, at)) throw error;
    }
    const created = await applied(blank(), change);
    try {
      return await state.create(created, { ...callOptions(given), owner: given.owner });
    } catch (error) {
      // It appeared between the read and the create.
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

async function applied(draft: Draft, change: Change<Draft>): Promise<Resource> {
  await change(draft);
  return draft.finish();
}

export function draftOf(resource: Resource): Draft {
  return resource instanceof TypedResource ? new TypedDraft(resource) : new Draft(resource);
}

/** The function may read other resources: their absence is an error of its own. */
function isAbout(
  subject: { readonly namespace: string; readonly type: string } | undefined,
  pointer: Pointer,
): boolean {
  return (
    subject !== undefined &&
    'id' in subject &&
    subject.id === pointer.id &&
    subject.type === pointer.type &&
    subject.namespace === pointer.namespace
  );
}

function checkPhase(stored: Resource, expected: Phase | 'any'): void {
  const { phase } = stored.metadata;
  if (expected !== 'any' && phase !== expected) throw new PhaseConflictError(stored.metadata, phase, expected);
}

export function callOptions(options: UpdateOptions): Pick<UpdateOptions, 'signal' | 'context'> {
  return { signal: options.signal, context: options.context };
}
