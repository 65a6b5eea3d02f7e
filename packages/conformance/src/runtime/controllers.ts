import type { Pointer, TypedKind, TypedPointer } from '@cosi-ts/resource';
import type { Controller, QueueController, ReconcileContext, ReconcileResult } from '@cosi-ts/runtime';
import type { QueryOptions } from '@cosi-ts/state';
import { Ints, Sentences, Strings, Sums } from './kinds.js';
import type { RuntimePackage } from './runtime-package.js';

/** A controller that keeps a string for each int. */
export function stringsOfInts(lib: RuntimePackage): Controller {
  return {
    name: 'StringsOfInts',
    inputs: [lib.strong(Ints.kind), lib.destroyReady(Strings.kind)],
    outputs: [lib.exclusive(Strings)],
    async run({ events, state }) {
      for await (const _ of events) {
        for (const int of await state.list(Ints.kind)) {
          const { id, phase, finalizers } = int.metadata;
          if (phase === 'tearingDown') {
            if (await state.destroyIfReady(Strings.at(id))) await state.removeFinalizer(int.metadata);
            continue;
          }
          if (!finalizers.includes('StringsOfInts')) await state.addFinalizer(int.metadata);
          await state.modify(Strings.at(id), (draft) => {
            draft.spec.text = String(int.spec.value);
          });
        }
      }
    },
  };
}

/** A queue controller that keeps a sentence for each string. */
export function sentencesOfStrings(lib: RuntimePackage): QueueController<TypedPointer<{ text: string }>> {
  return {
    name: 'SentencesOfStrings',
    inputs: [lib.primary(Strings.kind), lib.mappedDestroyReady(Sentences.kind, lib.sameId(Strings.kind))],
    outputs: [lib.exclusive(Sentences)],
    async reconcile(pointer, { state }) {
      const string = await state.find(pointer);
      if (string === undefined) return;
      const { metadata, spec } = string;
      if (metadata.phase === 'tearingDown') {
        if (await state.destroyIfReady(Sentences.at(metadata.id))) await state.removeFinalizer(metadata);
        return;
      }
      await state.addFinalizer(metadata);
      await state.modify(Sentences.at(metadata.id), (draft) => {
        draft.spec.text = `It is ${spec.text}.`;
      });
    },
  };
}

/** A controller that keeps the sum of what the query finds. */
export function sumOf(
  lib: RuntimePackage,
  name: string,
  source: TypedKind<{ value: number }>,
  target: TypedPointer<{ value: number }>,
  query: QueryOptions = {},
): Controller {
  return {
    name,
    inputs: [lib.weak(source)],
    outputs: [lib.shared(target)],
    async run({ events, state }) {
      for await (const _ of events) {
        const all = await state.list(source, query);
        await state.modify(target, (draft) => {
          draft.spec.value = all.reduce((sum, { spec }) => sum + spec.value, 0);
        });
      }
    },
  };
}

/** A controller that keeps a sum for each color of the ints, and none of colors that no int has. */
export function sumsOfColors(lib: RuntimePackage): Controller {
  return {
    name: 'SumsOfColors',
    inputs: [lib.weak(Ints.kind), lib.destroyReady(Sums.kind)],
    outputs: [lib.exclusive(Sums)],
    async run({ events, state, startTrackingOutputs, cleanupOutputs }) {
      for await (const _ of events) {
        startTrackingOutputs();
        const sums = new Map<string, number>();
        for (const { metadata, spec } of await state.list(Ints.kind)) {
          const { color } = metadata.labels;
          if (color !== undefined) sums.set(color, (sums.get(color) ?? 0) + spec.value);
        }
        for (const [color, value] of sums) {
          await state.modify(Sums.at(color), (draft) => {
            draft.spec.value = value;
          });
        }
        await cleanupOutputs(Sums.kind);
      }
    },
  };
}

type Reconcile = (pointer: Pointer, context: ReconcileContext) => Promise<ReconcileResult> | ReconcileResult;

/** A queue controller of the ints that does what it is told. */
export function ofInts(
  lib: RuntimePackage,
  reconcile: Reconcile,
  more: Partial<QueueController> = {},
): QueueController {
  return {
    name: 'OfInts',
    inputs: [lib.primary({ namespace: Ints.kind.namespace, type: Ints.type })],
    reconcile,
    ...more,
  };
}

/** A queue controller that notes the last version of each int that it was called for, and `gone` of those that are not there. */
export function seenInts(lib: RuntimePackage, name = 'SeenInts') {
  const seen = new Map<string, string>();
  const calls: string[] = [];
  const controller = ofInts(
    lib,
    async ({ id }, { state }) => {
      const int = await state.find(Ints.at(id));
      calls.push(id);
      seen.set(id, int === undefined ? 'gone' : String(int.spec.value));
    },
    { name },
  );
  return { controller, seen, calls };
}

/** A controller that counts its events, and does what it is told at each. */
export function counting(
  lib: RuntimePackage,
  onEvent: (event: number) => void | Promise<void> = () => undefined,
  more: Partial<Controller> = {},
) {
  const count = { events: 0 };
  const controller: Controller = {
    name: 'Counting',
    inputs: [lib.weak(Ints.kind)],
    async run({ events }) {
      for await (const _ of events) await onEvent(++count.events);
    },
    ...more,
  };
  return { count, controller };
}
