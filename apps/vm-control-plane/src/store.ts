import { type Clock, namespaced, type Random, type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';

export interface StoreOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** The state of the app: the one place that says how resources are kept. */
export async function openStore({ clock, random }: StoreOptions): Promise<State> {
  return wrapState(namespaced((namespace) => new InMemoryState(namespace, { clock, random })));
}
