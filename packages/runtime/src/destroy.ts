import { isPendingFinalizers, type Kind } from '@cosi-ts/resource';
import { primary } from './inputs.js';
import { shared } from './outputs.js';
import type { QueueController } from './queue-controller.js';

export interface DestroyControllerOptions {
  /** How many at once. Default: 1. */
  readonly concurrency?: number | undefined;
  /** Whether only one of the runtimes that share a state may run it at a time. Default: false. */
  readonly needsLeader?: boolean | undefined;
}

/**
 * A controller that destroys resources of a kind that nobody owns, once they are tearing down without finalizers: so
 * whoever made them need only tear them down. Its name is `Destroy[` + type + `]`.
 */
export function destroy(kind: Kind, options: DestroyControllerOptions = {}): QueueController {
  return {
    name: `Destroy[${kind.type}]`,
    inputs: [primary({ namespace: kind.namespace, type: kind.type })],
    outputs: [shared(kind)],
    concurrency: options.concurrency,
    needsLeader: options.needsLeader,
    async reconcile(pointer, { state }) {
      const resource = await state.find(pointer);
      if (resource === undefined) return;
      const { owner, phase, finalizers } = resource.metadata;
      if (owner !== '' || phase !== 'tearingDown' || finalizers.length > 0) return;
      try {
        await state.destroy(pointer, { owner: '' });
      } catch (error) {
        // A finalizer came in between: its removal is a change.
        if (!isPendingFinalizers(error)) throw error;
      }
    },
  };
}
