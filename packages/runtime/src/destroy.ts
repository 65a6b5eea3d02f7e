import type { Kind } from '@cosi-ts/resource';
import type { QueueController } from './queue-controller.js';

export interface DestroyControllerOptions {
  /** How many at once. Default: 1. */
  readonly concurrency?: number | undefined;
}

/**
 * A controller that destroys resources of a kind that nobody owns, once they are tearing down without finalizers: so
 * whoever made them need only tear them down. Its name is `Destroy[` + type + `]`.
 */
export declare function destroy(kind: Kind, options?: DestroyControllerOptions): QueueController;
