import { isConflict } from '@cosi-ts/resource';
import { isRequeue, isSkip } from '@cosi-ts/runtime';
import { sleep } from '@cosi-ts/state';
import { type BrokenRuntime, brokenControllers, brokenReconcile, changed } from './broken-runtime.js';

/** Longer than any test. */
const foreverMs = 3_600_000;

const isPossible = (concurrency = 1) => Number.isInteger(concurrency) && concurrency >= 1;

export const brokenQueues: readonly BrokenRuntime[] = [
  {
    ...brokenReconcile('Q2', 'two workers have an item at once', async (reconcile, pointer, context) => {
      const [result] = await Promise.all([reconcile(pointer, context), reconcile(pointer, context)]);
      return result;
    }),
    // Everything is done twice.
    others: 30,
  },
  brokenControllers('Q3', 'a hundred items are worked on at once', {
    queue: (controller) => ({
      ...controller,
      concurrency: isPossible(controller.concurrency) ? 100 : controller.concurrency,
    }),
  }),
  brokenControllers('Q3', 'one item is worked on at a time, whatever was declared', {
    queue: (controller) => ({
      ...controller,
      concurrency: isPossible(controller.concurrency) ? 1 : controller.concurrency,
    }),
  }),
  brokenReconcile('Q5', 'what failed is not tried again', async (reconcile, pointer, context) => {
    try {
      return await reconcile(pointer, context);
    } catch (error) {
      if (isSkip(error) || isRequeue(error)) throw error;
      return undefined;
    }
  }),
  brokenReconcile('Q5', 'all wait for an item that failed', async (reconcile, pointer, context) => {
    for (let attempt = context.attempt; ; attempt++) {
      try {
        return await reconcile(pointer, changed(context, { attempt }));
      } catch (error) {
        if (isSkip(error) || isRequeue(error)) throw error;
        await sleep(context.clock, foreverMs, context.signal);
      }
    }
  }),
  brokenReconcile('Q6', 'what is skipped has failed', async (reconcile, pointer, context) => {
    try {
      return await reconcile(pointer, context);
    } catch (error) {
      throw isSkip(error) ? new Error(error.message) : error;
    }
  }),
  brokenControllers('Q7', 'a run hook that threw is not run again', {
    queue: (controller) => {
      const { runHook } = controller;
      if (runHook === undefined) return controller;
      return {
        ...controller,
        async runHook(context) {
          await Promise.resolve()
            .then(() => runHook(context))
            .catch(() => undefined);
        },
      };
    },
  }),
  brokenControllers('Q7', 'there are no shutdown hooks', {
    queue: ({ shutdownHook: _, ...controller }) => controller,
    plain: ({ shutdownHook: _, ...controller }) => controller,
  }),
  brokenControllers('Q9', 'there is no deadline', {
    queue: (controller) => ({ ...controller, reconcileDeadlineMs: foreverMs }),
  }),
  brokenReconcile('Q10', 'conflicts are swallowed', async (reconcile, pointer, context) => {
    try {
      return await reconcile(pointer, context);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return undefined;
    }
  }),
];
