import { followAbort, UnavailableError } from '@cosi-ts/resource';
import type { BridgeSource, SourceContext } from './bridge-source.js';

/**
 * Requests from elsewhere as events, through whatever server takes them: its handler calls {@link handle} with whatever
 * the bridge's target is to read, and answers by how that ends.
 *
 * @example
 * const hook = new Webhook<{ lamp: string }>();
 * const bridge = new Bridge('lamp hook', hook, toItems(handle, ({ lamp }) => Lamp.at(lamp)));
 */
export class Webhook<R> implements BridgeSource<R> {
  #context: SourceContext<R> | undefined;

  /**
   * Resolves when what the request concerns has been queued: an answer like 202. Rejects with what its bridge's target
   * throws, like a 400, and with `unavailable` while no bridge listens, like a 503.
   */
  async handle(request: R): Promise<void> {
    if (this.#context === undefined) throw new UnavailableError('nobody listens to this webhook');
    await this.#context.deliver(request);
  }

  /** For one bridge at a time; throws a `TypeError` when there is one. */
  async listen(context: SourceContext<R>): Promise<void> {
    const { signal } = context;
    if (this.#context !== undefined) throw new TypeError('another bridge listens to this webhook');
    if (signal.aborted) return;
    this.#context = context;
    context.live();
    await new Promise<void>((resolve) => void followAbort(signal, () => resolve()));
    this.#context = undefined;
  }
}
