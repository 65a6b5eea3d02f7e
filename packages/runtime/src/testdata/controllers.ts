import { primary } from '../inputs.js';
import type { QueueController, ReconcileContext } from '../queue-controller.js';
import type { ReconcileResult } from '../requeue.js';
import { Numbers } from './kinds.js';

/** A controller that notes the ids it is called for. */
export function recording(more: Partial<QueueController> = {}) {
  const calls: string[] = [];
  const controller: QueueController = {
    name: 'Recorder',
    inputs: [primary(Numbers.kind)],
    reconcile: ({ id }) => void calls.push(id),
    ...more,
  };
  return { calls, controller };
}

/** A controller that does for the n-th call what the n-th function says, then nothing. */
export function scripted(...script: ((context: ReconcileContext) => ReconcileResult | Promise<ReconcileResult>)[]) {
  const attempts: number[] = [];
  const controller: QueueController = {
    name: 'Scripted',
    inputs: [primary(Numbers.kind)],
    reconcile(_pointer, context) {
      attempts.push(context.attempt);
      return script[attempts.length - 1]?.(context);
    },
  };
  return { attempts, controller };
}

export const failing = () => {
  throw new Error('no luck');
};
