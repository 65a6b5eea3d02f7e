import { isNotFound, type Pointer } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { UntilOptions } from './until-options.js';
import { untilAbsent } from './until-resource.js';

export interface DestroyAndWaitOptions extends UntilOptions {
  /** On whose behalf. Default: that of whoever owns it. */
  readonly owner?: string | undefined;
}

/**
 * Tears the resource down, destroys it once nothing holds it any more, and waits until it is gone. An absent one is gone.
 *
 * @throws `testing/expectation` when it is not in time: what holds it is in the message
 */
export async function destroyAndWait(
  state: State,
  pointer: Pointer,
  { owner, ...options }: DestroyAndWaitOptions = {},
): Promise<void> {
  const ended = new AbortController();
  try {
    const given = owner ?? (await state.get(pointer, { signal: options.signal })).metadata.owner;
    const destroyed = state.teardownAndDestroy(pointer, { owner: given, signal: ended.signal });
    const failed = destroyed.then(() => new Promise<never>(() => undefined));
    await Promise.race([untilAbsent(state, pointer, options), failed]);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  } finally {
    ended.abort();
  }
}
