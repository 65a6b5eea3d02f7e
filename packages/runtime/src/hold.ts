import { isNotFound, type TypedResource } from '@cosi-ts/resource';
import { see } from './job.js';
import type { ReconcileContext } from './queue-controller.js';
import { holdInput } from './scoped-state.js';

/** Adds the controller's finalizer to an input, and goes on with the input as it is then; undefined when it is gone. */
export async function hold<I>(
  input: TypedResource<I>,
  context: ReconcileContext,
): Promise<TypedResource<I> | undefined> {
  try {
    const held = await holdInput(context.state, input);
    see(context, held.metadata);
    return held;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
