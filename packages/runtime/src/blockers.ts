import {
  Draft,
  type Phase,
  PhaseConflictError,
  type Pointer,
  pointerText,
  type Resource,
  type Version,
  VersionConflictError,
} from '@cosi-ts/resource';
import type { CallOptions, State } from '@cosi-ts/state';
import type { Logger } from './logger.js';
import type { ControllerReport, ReportedError } from './report.js';

/** What keeps a resource that is being torn down from being destroyed: plain data, taken at one moment. */
export interface TeardownBlockers extends Pointer {
  /** The version that all of this is about. */
  readonly version: Version;
  readonly phase: Phase;
  /**
   * When it began to be torn down, where a watch of the runtime has seen it; else its last change, before which it began.
   * Undefined of a resource that is not torn down; RFC 3339.
   */
  readonly since: string | undefined;
  /** In the order of its finalizers. Empty for one that is not torn down: nothing waits for these. */
  readonly blockers: readonly TeardownBlocker[];
}

export interface TeardownBlocker {
  readonly finalizer: string;
  /** The registered controller whose finalizer it is. Undefined of an orphan. */
  readonly controller: Pick<ControllerReport, 'name' | 'status'> | undefined;
  /** No registered controller owns it: somebody else has to remove it, or nobody ever will. */
  readonly isOrphan: boolean;
  /**
   * Why the controller has not let go: the latest error of its work on this resource, if that has not gone well since;
   * of one without a queue, its latest error while it waits to run again. Undefined when it has not failed.
   */
  readonly lastError: ReportedError | undefined;
}

/** What is asked of the controllers that may own finalizers. */
export interface FinalizerOwner {
  report(): ControllerReport;
  /** The error that keeps it from being done with the resource. */
  errorOn(pointer: Pointer): ReportedError | undefined;
}

export async function teardownBlockers(
  state: State,
  pointer: Pointer,
  owners: ReadonlyMap<string, FinalizerOwner>,
  sinceOf: (pointer: Pointer) => string | undefined,
  options: CallOptions,
): Promise<TeardownBlockers> {
  const { metadata } = await state.get(plain(pointer), options);
  const isTornDown = metadata.phase === 'tearingDown';
  return Object.freeze({
    ...plain(metadata),
    version: metadata.version,
    phase: metadata.phase,
    since: isTornDown ? (sinceOf(metadata) ?? metadata.updated.toString()) : undefined,
    blockers: isTornDown ? [...metadata.finalizers].map((name) => blocker(name, metadata, owners.get(name))) : [],
  });
}

function blocker(finalizer: string, pointer: Pointer, owner: FinalizerOwner | undefined): TeardownBlocker {
  if (owner === undefined) return { finalizer, controller: undefined, isOrphan: true, lastError: undefined };
  const { name, status } = owner.report();
  return { finalizer, controller: { name, status }, isOrphan: false, lastError: owner.errorOn(pointer) };
}

export interface ForcedRemoval extends CallOptions {
  /** Why; for the log. */
  readonly reason?: string | undefined;
  /** Remove it from this version only: what is another one by now is looked at again first. Default: from any. */
  readonly version?: Version | undefined;
}

/** See `Runtime.forceRemoveFinalizer`. */
export async function forceRemoveFinalizer(
  state: State,
  pointer: Pointer,
  finalizer: string,
  logger: Logger,
  { reason, version, ...options }: ForcedRemoval,
): Promise<boolean> {
  if (typeof finalizer !== 'string' || finalizer === '') throw new TypeError('one finalizer is to be named');
  const at = plain(pointer);
  const stored = await state.get(at, options);
  const { metadata } = stored;
  if (version !== undefined && version !== metadata.version) {
    throw new VersionConflictError(at, version, metadata.version);
  }
  if (metadata.phase !== 'tearingDown') throw new PhaseConflictError(at, metadata.phase, 'tearingDown');
  if (!metadata.finalizers.includes(finalizer)) return false;
  // What was torn down stays so until it is destroyed. Before the write: also what is cut off in the middle is on record.
  logger.warn({ resource: pointerText(at), finalizer, reason }, 'a finalizer is being removed by force');
  if (version === undefined) await state.removeFinalizer(at, finalizer, options);
  else await removeFromThis(state, stored, finalizer, options);
  logger.warn({ resource: pointerText(at), finalizer, reason }, 'a finalizer was removed by force');
  return true;
}

/** Rejects with `version-conflict` when somebody writes in between. */
async function removeFromThis(state: State, stored: Resource, finalizer: string, options: CallOptions): Promise<void> {
  const draft = new Draft(stored);
  draft.metadata.finalizers.remove(finalizer);
  await state.update(draft.finish(), { ...options, owner: stored.metadata.owner, expectedPhase: 'tearingDown' });
}

function plain({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}
