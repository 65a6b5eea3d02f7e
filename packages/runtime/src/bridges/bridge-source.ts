import type { Clock, Random } from '@cosi-ts/state';

/** What a source is given while it listens. */
export interface SourceContext<T> {
  /** Aborts when it is to end: it lets go of all that it holds, and its promise settles. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  /** To be called once nothing that happens from now on is missed. */
  live(): void;
  /** Hands on what happened. Never throws: what goes wrong with it is logged. */
  emit(item: T): void;
  /** Hands on what happened for someone who waits: rejects with what went wrong, which is not logged. */
  deliver(item: T): Promise<void>;
}

/**
 * Where events come from that are not in the state. `listen` begins to listen at once; it rejects when the source breaks,
 * and is called again after a backoff; it resolves when there is nothing more to come, or when its signal aborted.
 */
export interface BridgeSource<T> {
  listen(context: SourceContext<T>): Promise<void>;
}
