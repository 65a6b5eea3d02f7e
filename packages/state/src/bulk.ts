import type { Phase, Pointer, Resource } from '@cosi-ts/resource';
import { type BulkWriteCapable, canWriteMany } from './capabilities.js';
import type { CallOptions, CoreState } from './core-state.js';
import { givenOptions, givenPointer } from './given.js';

/** One of many writes. What it names besides is as in the options of the operation. */
export type Write =
  | { readonly type: 'create'; readonly resource: Resource; readonly owner?: string | undefined }
  | {
      readonly type: 'update';
      readonly resource: Resource;
      readonly owner?: string | undefined;
      readonly expectedPhase?: Phase | 'any' | undefined;
    }
  | { readonly type: 'destroy'; readonly pointer: Pointer; readonly owner?: string | undefined };

/** What became of a write: the stored resource (of a destroy: nothing), or why it was refused. */
export type WriteOutcome = PromiseSettledResult<Resource | undefined>;

/** So many writes are in progress at a time. */
const atOnce = 4096;

/** Where a write goes. */
export function pointerOf(write: Write): Pointer {
  return write.type === 'destroy' ? write.pointer : write.resource.metadata;
}

/** The writes as they are now, whatever becomes of the objects. */
export function givenWrites(writes: readonly Write[]): readonly Write[] {
  return Array.from(writes, (write) =>
    write.type === 'destroy' ? { ...write, pointer: givenPointer(write.pointer) } : { ...write },
  );
}

/** Natively where the state can, else one by one. */
export function writeMany(
  state: CoreState & Partial<BulkWriteCapable>,
  writes: readonly Write[],
  options: CallOptions,
): Promise<readonly WriteOutcome[]> {
  return canWriteMany(state) ? state.writeMany(writes, options) : writeInChunks(state, writes, options, 1);
}

/**
 * Many writes in progress together, for states whose calls take effect, for each resource, in the order in which they
 * are made, and that make durable in one go what is in progress together.
 */
export function writeTogether(
  state: CoreState,
  writes: readonly Write[],
  options: CallOptions,
): Promise<readonly WriteOutcome[]> {
  return writeInChunks(state, writes, options, atOnce);
}

async function writeInChunks(
  state: CoreState,
  writes: readonly Write[],
  options: CallOptions,
  chunk: number,
): Promise<readonly WriteOutcome[]> {
  const [given, calls] = [givenWrites(writes), givenOptions(options)];
  calls.signal?.throwIfAborted();
  const outcomes: WriteOutcome[] = [];
  for (let at = 0; at < given.length; at += chunk) {
    const together = given.slice(at, at + chunk).map((write) => writeOne(state, write, calls));
    outcomes.push(...(await Promise.allSettled(together)));
  }
  return outcomes;
}

async function writeOne(state: CoreState, write: Write, options: CallOptions): Promise<Resource | undefined> {
  options.signal?.throwIfAborted();
  const { owner } = write;
  switch (write.type) {
    case 'create':
      return state.create(write.resource, { ...options, owner });
    case 'update':
      return state.update(write.resource, { ...options, owner, expectedPhase: write.expectedPhase });
    case 'destroy':
      await state.destroy(write.pointer, { ...options, owner });
      return undefined;
  }
}
