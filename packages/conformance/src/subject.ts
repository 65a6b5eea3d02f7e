import { type CoreState, canClose, type State } from '@cosi-ts/state';

/** A fresh state for one test. */
export interface StateUnderTest {
  readonly state: CoreState;
  /** The full interface, for who brings an implementation of its own. Default: `wrapState(state)`. */
  readonly wrapped?: State | undefined;
  /** How many watches hold something inside. Given: the suite checks that watches which have ended hold nothing. */
  readonly openWatches?: (() => number) | undefined;
  /** Makes another fresh state of the same make, that knows nothing of this one. Default: the factory. */
  readonly stranger?: StateFactory | undefined;
  /** Frees what the factory made. Default: closes the state, where it can be closed. */
  readonly dispose?: (() => void | Promise<void>) | undefined;
}

/** Makes a state with nothing in it. Called once for each test, and once more where a test needs a stranger. */
export type StateFactory = () => StateUnderTest | Promise<StateUnderTest>;

export async function disposeSubject(subject: StateUnderTest): Promise<void> {
  if (subject.dispose !== undefined) await subject.dispose();
  else if (canClose(subject.state)) await subject.state.close();
}
