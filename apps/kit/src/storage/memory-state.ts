import { type Clock, namespaced, type Random, type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';

/** A state that ends with the process. */
export function memoryState(options: { readonly clock: Clock; readonly random: Random }): State {
  return wrapState(namespaced((namespace) => new InMemoryState(namespace, options)));
}
