import { UnsupportedError } from '@cosi-ts/resource';

/** Where an error that reached no caller is reported: the controller whose work it came from. */
export interface EscapeTarget {
  escaped(error: unknown): void;
}

interface AsyncStorage<T> {
  run<R>(value: T, call: () => R): R;
  getStore(): T | undefined;
  disable(): void;
}

interface ContextHost {
  readonly process?: {
    readonly getBuiltinModule?: (
      name: string,
    ) => { readonly AsyncLocalStorage: new () => AsyncStorage<EscapeTarget> } | undefined;
  };
}

/**
 * Knows whose work is running, through timers and promises, once it was enabled; until then it costs nothing. Needs the
 * host's `AsyncLocalStorage`, which is looked for when it is enabled.
 */
export class Attribution {
  #storage: AsyncStorage<EscapeTarget> | undefined;

  /** Throws `unsupported` where the host has no such thing. */
  enable(): void {
    if (this.#storage !== undefined) return;
    const hooks = (globalThis as ContextHost).process?.getBuiltinModule?.('node:async_hooks');
    if (hooks === undefined) throw new UnsupportedError('this host cannot tell from where an error escaped');
    this.#storage = new hooks.AsyncLocalStorage();
  }

  disable(): void {
    this.#storage?.disable();
    this.#storage = undefined;
  }

  /** Calls the function; what it sets going belongs to the target. */
  run<R>(target: EscapeTarget, call: () => R): R {
    return this.#storage === undefined ? call() : this.#storage.run(target, call);
  }

  /** Reports the error to the one whose work is running. False when it is nobody's. */
  report(error: unknown): boolean {
    const target = this.#storage?.getStore();
    target?.escaped(error);
    return target !== undefined;
  }
}
