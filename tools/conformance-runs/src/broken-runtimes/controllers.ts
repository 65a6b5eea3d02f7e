import { type Pointer, pointerKey } from '@cosi-ts/resource';
import { type ReconcileEvent, RegistrationError, Runtime, UndeclaredError } from '@cosi-ts/runtime';
import { ownedState, wrapState } from '@cosi-ts/state';
import { type BrokenRuntime, broken, brokenContext, brokenControllers, brokenState } from './broken-runtime.js';

async function* twice(events: AsyncIterable<ReconcileEvent>) {
  for await (const event of events) {
    yield event;
    yield event;
  }
}

/** Names that are taken are not refused: the second one is called something else. */
class Renaming extends Runtime {
  override register(controller: never): never {
    try {
      return super.register(controller) as never;
    } catch (error) {
      if (!(error instanceof RegistrationError) || !error.message.includes('taken')) throw error;
      return super.register({ ...(controller as object), name: 'Another' } as never) as never;
    }
  }
}

/** Does it in the name of the controller when that did not declare it. */
const allowing =
  <A extends unknown[], T>(call: (...args: A) => Promise<T>, instead: (...args: A) => Promise<unknown>) =>
  async (...args: A) => {
    try {
      return await call(...args);
    } catch (error) {
      if (!(error instanceof UndeclaredError)) throw error;
      return instead(...args);
    }
  };

export const brokenControllerRules: readonly BrokenRuntime[] = [
  broken('C1', 'a name can be taken twice', { Runtime: Renaming }),
  brokenState('C2', 'what is no output can be created', (state, core) => ({
    create: allowing(state.create.bind(state), (...args: unknown[]) =>
      ownedState(wrapState(core), state.owner).create(...(args as [never])),
    ),
  })),
  brokenState('C3', 'what is no input can be read', (state, core) => ({
    get: allowing(state.get.bind(state) as never, (...args: unknown[]) => wrapState(core).get(...(args as [never]))),
    list: allowing(state.list.bind(state) as never, (...args: unknown[]) => wrapState(core).list(...(args as [never]))),
  })),
  brokenState('C3', 'finalizers can be changed on weak inputs', (state, core) => ({
    addFinalizer: allowing(state.addFinalizer.bind(state), (pointer) =>
      wrapState(core).addFinalizer(pointer, state.owner),
    ),
  })),
  brokenContext('C4', 'each change is two events', ({ events }) => ({ events: twice(events) })),
  brokenControllers('C5', 'a run that failed is not called again', {
    plain: (controller) => ({
      ...controller,
      async run(context) {
        try {
          await controller.run(context);
        } catch {
          // It has ended.
        }
      },
    }),
  }),
  brokenControllers('C5', 'a controller that fails takes the runtime down', {
    plain: (controller, _, runtime) => ({
      ...controller,
      async run(context) {
        try {
          await controller.run(context);
        } catch (error) {
          void runtime.close();
          throw error;
        }
      },
    }),
  }),
  brokenContext('C6', 'outputs that were not written stay', () => ({ cleanupOutputs: async () => true })),
  brokenControllers('C8', 'writes are not limited', {
    queue: (controller) => ({ ...controller, writeLimit: undefined }),
  }),
  brokenState('C16', 'a controller reads what was before its own write', (state) => {
    const before = new Map<string, unknown>();
    return {
      async modify(pointer: Pointer, ...rest: unknown[]) {
        before.set(pointerKey(pointer), await state.find(pointer, { uncached: true }));
        return state.modify(pointer as never, ...(rest as [never]));
      },
      async find(pointer: Pointer, ...rest: never[]) {
        const key = pointerKey(pointer);
        if (!before.has(key)) return state.find(pointer, ...rest);
        const outdated = before.get(key);
        before.delete(key);
        return outdated;
      },
    };
  }),
  brokenState('G3', 'what is tearing down is written all the same', (state) => ({
    modify: (pointer: Pointer, change: unknown, options: object = {}) =>
      state.modify(pointer as never, change as never, { ...options, expectedPhase: 'any' }),
  })),
  brokenState('S20', 'nobody can let go of what is absent', (state, core) => ({
    async removeFinalizer(pointer: Pointer) {
      await core.get(pointer);
      await state.removeFinalizer(pointer);
    },
  })),
];
