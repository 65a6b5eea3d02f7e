import type { Pointer } from '@cosi-ts/resource';
import type { Write, WriteOutcome } from './bulk.js';
import type { CallOptions, CoreState } from './core-state.js';

export interface TeardownOptions extends CallOptions {
  /** On whose behalf: must equal the stored owner. Default: nobody. */
  readonly owner?: string | undefined;
}

export interface TeardownAndDestroyOptions extends TeardownOptions {
  /**
   * Waited for when nothing holds the resource any more, before it is destroyed; a state that destroys elsewhere waits
   * for it before it answers. For servers, whose callers race this call with the writes that let the resource go.
   */
  readonly beforeDestroy?: (() => Promise<void>) | undefined;
}

/**
 * Capabilities are what a backend may offer beyond {@link CoreState} because it can do it better than a composition
 * of the core operations. They are found on the state object at run time. Who wraps a state passes on what it can
 * guard, and nothing else.
 */
export interface TeardownCapable {
  /** Marks the resource as tearing down, unless it is; true when it has no finalizers. */
  teardown(pointer: Pointer, options?: TeardownOptions): Promise<boolean>;
}

export interface TeardownAndDestroyCapable {
  /** Tears down, waits until there are no finalizers, destroys. Resolves when the resource is gone, whoever removed it. */
  teardownAndDestroy(pointer: Pointer, options?: TeardownAndDestroyOptions): Promise<void>;
}

export interface BulkWriteCapable {
  /** See `State.writeMany`: for a state that can make many writes durable in one go. */
  writeMany(writes: readonly Write[], options?: CallOptions): Promise<readonly WriteOutcome[]>;
}

export interface Closable {
  /** Ends all watches, waits for work in progress, frees what is held. Later calls reject with `closed`. */
  close(): Promise<void>;
}

export function canTeardown(state: CoreState): state is CoreState & TeardownCapable {
  return has(state, 'teardown');
}

export function canTeardownAndDestroy(state: CoreState): state is CoreState & TeardownAndDestroyCapable {
  return has(state, 'teardownAndDestroy');
}

export function canWriteMany(state: CoreState): state is CoreState & BulkWriteCapable {
  return has(state, 'writeMany');
}

export function canClose(state: CoreState): state is CoreState & Closable {
  return has(state, 'close');
}

function has(state: CoreState, method: string): boolean {
  return typeof (state as unknown as Record<string, unknown>)[method] === 'function';
}
