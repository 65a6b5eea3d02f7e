/** A signal that follows others until it is let go of. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts the signal alone. */
  abort(reason?: unknown): void;
  /** Stops following. Must be called in the end: the others may live long. */
  unlink(): void;
}

/** Aborts when one of the signals does, with its reason. */
export function linkSignals(...parents: readonly (AbortSignal | undefined)[]): LinkedSignal {
  return link(parents, (reason) => reason);
}

/**
 * Aborts when one of the signals does, with the host's own reason: the RPC library tells peers that a call was
 * cancelled for that one only, and that it failed for all others.
 */
export function cancelSignal(...parents: readonly (AbortSignal | undefined)[]): LinkedSignal {
  return link(parents, () => undefined);
}

function link(parents: readonly (AbortSignal | undefined)[], reasonOf: (reason: unknown) => unknown): LinkedSignal {
  const controller = new AbortController();
  const unlink = () => {
    for (const parent of parents) parent?.removeEventListener('abort', onAbort);
  };
  const abort = (reason?: unknown) => {
    unlink();
    controller.abort(reason);
  };
  function onAbort(this: AbortSignal) {
    abort(reasonOf(this.reason));
  }
  for (const parent of parents) {
    if (parent?.aborted === true) {
      onAbort.call(parent);
      break;
    }
    parent?.addEventListener('abort', onAbort);
  }
  return { signal: controller.signal, abort, unlink };
}
