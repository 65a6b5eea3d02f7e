import { followAbort } from '@cosi-ts/resource';
import { Stop } from './stop.js';

/** A signal that follows others until it is let go of. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts the signal alone. */
  abort(reason?: unknown): void;
  /** Stops following. Must be called in the end: the others may live long. */
  unlink(): void;
}

type Parent = AbortSignal | Stop | undefined;

/** Aborts when one of the others does, with its reason. */
export function linkSignals(...parents: readonly Parent[]): LinkedSignal {
  return link(parents, (reason) => reason);
}

/**
 * Aborts when one of the others does, with the host's own reason: the RPC library tells peers that a call was cancelled
 * for that one only, and that it failed for all others.
 */
export function cancelSignal(...parents: readonly Parent[]): LinkedSignal {
  return link(parents, () => undefined);
}

function link(parents: readonly Parent[], reasonOf: (reason: unknown) => unknown): LinkedSignal {
  const controller = new AbortController();
  const links: (() => void)[] = [];
  const unlink = () => {
    for (const undo of links.splice(0)) undo();
  };
  const abort = (reason?: unknown) => {
    unlink();
    controller.abort(reason);
  };
  for (const parent of parents) {
    if (controller.signal.aborted) break;
    if (parent !== undefined) links.push(follow(parent, (reason) => abort(reasonOf(reason))));
  }
  return { signal: controller.signal, abort, unlink };
}

function follow(parent: AbortSignal | Stop, callback: (reason: unknown) => void): () => void {
  return parent instanceof Stop ? parent.follow(callback) : followAbort(parent, callback);
}
