import {
  isPhaseConflict,
  type Pointer,
  pointerText,
  sameKind,
  samePointer,
  type TypedDraft,
  type TypedKind,
  type TypedPointer,
  type TypedResource,
} from '@cosi-ts/resource';
import type { ControllerState } from './controller-state.js';
import { isRequeue, type ReconcileResult } from './requeue.js';

/** Returned by a transform when its output is not to be: it is torn down, and destroyed when nothing holds it. */
export const destroyOutput: unique symbol = Symbol.for('@cosi-ts/runtime destroyOutput') as never;

export type TransformResult = ReconcileResult | typeof destroyOutput;

/** Leaves `modify` without a write. */
const unwanted = Symbol('unwanted');

/**
 * Writes what the transform makes of an output, or takes the output away when it says so. An output that is tearing down
 * belongs to an earlier life of its input: it goes before there is a new one; while others hold it, nothing is done.
 */
export async function writeOutput<O>(
  output: TypedPointer<O>,
  transform: (draft: TypedDraft<O>) => TransformResult | Promise<TransformResult>,
  state: ControllerState,
): Promise<ReconcileResult> {
  let outcome: (() => ReconcileResult) | undefined;
  const change = async (draft: TypedDraft<O>) => {
    try {
      const given = await transform(draft);
      if (given === destroyOutput) throw unwanted;
      outcome = () => given;
    } catch (error) {
      // The change that was made is kept.
      if (!isRequeue(error)) throw error;
      outcome = () => {
        throw error;
      };
    }
  };
  for (;;) {
    try {
      await state.modify(output, change);
      break;
    } catch (error) {
      if (error === unwanted) {
        await state.destroyIfReady(output);
        return;
      }
      if (!isPhaseConflict(error) || !isAbout(error.subject, output)) throw error;
    }
    if (!(await state.destroyIfReady(output))) return;
  }
  return outcome?.();
}

/** The output that an input maps to: by default that of the same id. */
export function mappedOutput<I, O>(
  {
    name,
    output,
    map,
  }: {
    readonly name: string;
    readonly output: TypedKind<O>;
    readonly map?: ((input: TypedResource<I>) => TypedPointer<O> | undefined) | undefined;
  },
  input: TypedResource<I>,
): TypedPointer<O> | undefined {
  if (map === undefined) return output.declaration.at(input.metadata.id, output.namespace);
  const pointer = map(input);
  if (pointer !== undefined && !sameKind(pointer, output)) {
    throw new TypeError(`${name}: map gave ${pointerText(pointer)}, which is not of ${pointerText(output)}`);
  }
  return pointer;
}

function isAbout(subject: object | undefined, output: Pointer): boolean {
  return subject !== undefined && 'id' in subject && samePointer(subject as Pointer, output);
}
