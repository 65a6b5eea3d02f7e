import {
  isAlreadyExists,
  isNotFound,
  isPhaseConflict,
  isVersionConflict,
  type Pointer,
  pointerText,
  sameKind,
  samePointer,
  TypedDraft,
  type TypedKind,
  type TypedPointer,
  type TypedResource,
} from '@cosi-ts/resource';
import type { ControllerState } from './controller-state.js';
import { isRequeue, type ReconcileResult } from './requeue.js';
import { UnsettledWriteError } from './settling/unsettled-write.js';

/** Returned by a transform when its output is not to be: it is torn down, and destroyed when nothing holds it. */
export const destroyOutput: unique symbol = Symbol.for('@cosi-ts/runtime destroyOutput') as never;

export type TransformResult = ReconcileResult | typeof destroyOutput;

/** Leaves `modify` without a write. */
const unwanted = Symbol('unwanted');

/**
 * Writes what the transform makes of an output, or takes the output away when it says so. An output that is tearing down
 * belongs to an earlier life of its input: it goes before there is a new one; while others hold it, nothing is done.
 *
 * @param last the output as it was lately, where that is known: then nothing is read that need not be. It may be outdated.
 */
export async function writeOutput<O>(
  output: TypedPointer<O>,
  transform: (draft: TypedDraft<O>) => TransformResult | Promise<TransformResult>,
  state: ControllerState,
  last?: TypedResource<O> | 'absent',
): Promise<ReconcileResult> {
  let known = last === 'absent' || last?.metadata.phase === 'running' ? last : undefined;
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
      if (known === undefined) await state.modify(output, change);
      else await writeKnown(output, known, change, state);
      break;
    } catch (error) {
      if (known !== undefined && isOutdated(error, output)) {
        known = undefined;
        continue;
      }
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

async function writeKnown<O>(
  output: TypedPointer<O>,
  known: TypedResource<O> | 'absent',
  change: (draft: TypedDraft<O>) => Promise<void>,
  state: ControllerState,
): Promise<void> {
  const draft = known === 'absent' ? TypedDraft.blank(output) : new TypedDraft(known);
  await change(draft);
  const changed = draft.finish();
  if (known === 'absent') await state.create(changed);
  else if (!changed.equals(known)) await state.update(changed);
}

/** Whether the output is not as it was any more, or it is not known whether it is. */
function isOutdated(error: unknown, output: Pointer): boolean {
  if (error instanceof UnsettledWriteError) return isAbout(error.subject, output);
  return (isVersionConflict(error) || isNotFound(error) || isAlreadyExists(error)) && isAbout(error.subject, output);
}

function isAbout(subject: object | undefined, output: Pointer): boolean {
  return subject !== undefined && 'id' in subject && samePointer(subject as Pointer, output);
}
