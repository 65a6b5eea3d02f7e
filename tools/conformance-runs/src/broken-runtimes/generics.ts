import type { TypedPointer } from '@cosi-ts/resource';
import { cleanup, destroy, type QueueController, qtransform, transform } from '@cosi-ts/runtime';
import { type BrokenRuntime, broken, changed } from './broken-runtime.js';

/** The function with something of its options changed. */
const otherwise = <F extends (options: never) => unknown>(make: F, change: (options: never) => unknown): F =>
  ((options: never) => make({ ...(options as object), ...(change(options) as object) } as never)) as never;

interface Mapped {
  readonly output: { readonly namespace: string; readonly declaration: { at(id: string, namespace: string): unknown } };
  map?(input: unknown): unknown;
}

interface Transforming {
  transform(...args: unknown[]): unknown;
}

interface Handled {
  readonly handlers: readonly { run(...args: unknown[]): unknown }[];
}

/** A qtransform that does not let go. */
function clinging(options: never): QueueController<TypedPointer<never>> {
  const controller = qtransform<never, never>(options);
  return {
    ...controller,
    reconcile: (pointer, context) => {
      const state = changed(context.state, { removeFinalizer: async () => undefined });
      return controller.reconcile(pointer, changed(context, { state }));
    },
  };
}

export const brokenGenerics: readonly BrokenRuntime[] = [
  broken('G1', 'what maps to nothing has an output', {
    transform: otherwise(transform, ({ output, map }: Mapped) => ({
      map: (input: { metadata: { id: string } }) =>
        map?.(input) ?? output.declaration.at(input.metadata.id, output.namespace),
    })),
  }),
  broken('G2', 'inputs go before their outputs', {
    transform: otherwise(transform, () => ({ inputFinalizers: false, finalizerRemoval: undefined })),
  }),
  broken('G4', 'one that fails stops the others', {
    transform: otherwise(transform, (options: Transforming) => {
      let failed: unknown;
      return {
        async transform(...args: unknown[]) {
          if (failed !== undefined) throw failed;
          try {
            return await options.transform(...args);
          } catch (error) {
            failed = error;
            throw error;
          }
        },
      };
    }),
  }),
  broken('G5', 'its finalizer stays', { qtransform: clinging as never }),
  broken('G5', 'a teardown is never ignored', {
    qtransform: otherwise(qtransform, () => ({ ignoreTeardownWhile: [], ignoreTeardownUntil: undefined })),
  }),
  broken('G6', 'handlers do not wait for each other', {
    cleanup: otherwise(cleanup, ({ handlers }: Handled) => ({
      handlers: handlers.map((handler) => ({
        ...handler,
        async run(...args: unknown[]) {
          await handler.run(...args);
        },
      })),
    })),
  }),
  broken('G7', 'what somebody owns is destroyed, too', {
    destroy: (kind, options) => ({
      ...destroy(kind, options),
      async reconcile(pointer, { state }) {
        const resource = await state.find(pointer);
        if (resource?.metadata.phase !== 'tearingDown' || resource.metadata.finalizers.length > 0) return;
        await state.destroy(pointer, { owner: resource.metadata.owner });
      },
    }),
  }),
];
