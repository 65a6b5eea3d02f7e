import type { RuntimePackage } from '@cosi-ts/conformance/runtime';
import type { Pointer } from '@cosi-ts/resource';
import type {
  Controller,
  ControllerContext,
  ControllerState,
  QueueController,
  ReconcileContext,
  ReconcileResult,
  RuntimeOptions,
} from '@cosi-ts/runtime';
import * as library from '@cosi-ts/runtime';
import type { CoreState } from '@cosi-ts/state';

/** A runtime that is right but for one thing, which the tests of its rule have to find. */
export interface BrokenRuntime {
  /** What is wrong. */
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: string;
  /** How many tests of other rules may fail along with those of the rule. */
  readonly others: number;
  readonly runtime: RuntimePackage;
}

type AnyController = Controller | QueueController;

/** Takes the place of some of the package. */
export function broken(rule: string, name: string, members: Partial<RuntimePackage>): BrokenRuntime {
  return { rule, name, others: 8, runtime: { ...library, ...members } };
}

/** Runs other controllers than those that were registered. */
export function brokenControllers(
  rule: string,
  name: string,
  change: {
    readonly queue?: (controller: QueueController, core: CoreState) => QueueController;
    readonly plain?: (controller: Controller, core: CoreState, runtime: library.Runtime) => Controller;
  },
): BrokenRuntime {
  class Runtime extends library.Runtime {
    readonly #core: CoreState;

    constructor(core: CoreState, options?: RuntimeOptions) {
      super(core, options);
      this.#core = core;
    }

    override register(controller: AnyController): never {
      if ('reconcile' in controller)
        return super.register(change.queue?.(controller, this.#core) ?? controller) as never;
      return super.register(change.plain?.(controller, this.#core, this) ?? controller) as never;
    }
  }
  return broken(rule, name, { Runtime });
}

/** Calls of `reconcile` go through the function. */
export function brokenReconcile(
  rule: string,
  name: string,
  call: (
    reconcile: (pointer: Pointer, context: ReconcileContext) => Promise<ReconcileResult>,
    pointer: Pointer,
    context: ReconcileContext,
  ) => Promise<ReconcileResult>,
): BrokenRuntime {
  return brokenControllers(rule, name, {
    queue: (controller) => ({
      ...controller,
      reconcile: (pointer, context) =>
        call(async (...args) => controller.reconcile(...(args as [never, never])), pointer, context),
    }),
  });
}

/** The context of controllers without a queue is another one. */
export function brokenContext(
  rule: string,
  name: string,
  change: (context: ControllerContext) => Partial<ControllerContext>,
): BrokenRuntime {
  return brokenControllers(rule, name, {
    plain: (controller) => ({ ...controller, run: (context) => controller.run(changed(context, change(context))) }),
  });
}

/** The state that controllers are given is another one. */
export function brokenState(
  rule: string,
  name: string,
  change: (state: ControllerState, core: CoreState) => Partial<Record<keyof ControllerState, unknown>>,
): BrokenRuntime {
  const other = (state: ControllerState, core: CoreState) => changed(state, change(state, core));
  return brokenControllers(rule, name, {
    queue: (controller, core) => ({
      ...controller,
      reconcile: (pointer, context) =>
        controller.reconcile(pointer as never, changed(context, { state: other(context.state, core) })),
    }),
    plain: (controller, core) => ({
      ...controller,
      run: (context) => controller.run(changed(context, { state: other(context.state, core) })),
    }),
  });
}

/** The object, with some of its members changed. */
export function changed<T extends object>(target: T, changes: object): T {
  // Its class and what is private of it stay: a copy would have neither.
  return new Proxy(Object.create(Object.getPrototypeOf(target)) as T, {
    get(_, key) {
      if (Object.hasOwn(changes, key)) return Reflect.get(changes, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The state that the runtime works with is another one. */
export function brokenCore(rule: string, name: string, change: (core: CoreState) => Partial<CoreState>): BrokenRuntime {
  class Runtime extends library.Runtime {
    constructor(core: CoreState, options?: RuntimeOptions) {
      super({ ...operations(core), ...change(core) }, options);
    }
  }
  return broken(rule, name, { Runtime });
}

/** Options do not have their effect. */
export function brokenOptions(
  rule: string,
  name: string,
  change: (options: RuntimeOptions) => Partial<RuntimeOptions>,
): BrokenRuntime {
  class Runtime extends library.Runtime {
    constructor(core: CoreState, options: RuntimeOptions = {}) {
      super(core, { ...options, ...change(options) });
    }
  }
  return broken(rule, name, { Runtime });
}

export function operations(core: CoreState): CoreState {
  return {
    get: core.get.bind(core),
    list: core.list.bind(core),
    create: core.create.bind(core),
    update: core.update.bind(core),
    destroy: core.destroy.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
  };
}
