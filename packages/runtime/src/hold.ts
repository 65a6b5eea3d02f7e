import type { TypedResource } from '@cosi-ts/resource';
import { see } from './job.js';
import type { ReconcileContext } from './queue-controller.js';
import { holdInput } from './scoped-state.js';

/**
 * Adds the controller's finalizer to an input, and goes on with the input as it is then. Undefined when it is gone or
 * tearing down by now: the change that tells so leads to more work.
 */
export async function hold<I>(
  input: TypedResource<I>,
  context: ReconcileContext,
): Promise<TypedResource<I> | undefined> {
  const held = await holdInput(context.state, input);
  if (held !== undefined) see(context, held.metadata);
  return held;
}
