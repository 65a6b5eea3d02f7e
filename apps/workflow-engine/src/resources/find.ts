import { isNotFound, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import type { CallOptions, State } from '@cosi-ts/state';

/** The resource, or undefined when there is none. */
export async function find<S>(
  state: Pick<State, 'get'>,
  pointer: TypedPointer<S>,
  options: CallOptions,
): Promise<TypedResource<S> | undefined> {
  try {
    return await state.get(pointer, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
