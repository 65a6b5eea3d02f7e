import type { LoopHold } from '@cosi-ts/runtime';
import type { Health } from '../health.js';

/** The event loop is never quite punctual: less than this is nothing to tell. */
const lagStepMs = 25;

/** Health as pages show it: without what changes all the time and says nothing. */
export function healthView({ ready, problems, runtime }: Health) {
  const { lagMs, holds, lastHold, longestHold } = runtime.loop;
  const reasons = new Map(
    runtime.health.parts.flatMap(({ part, name, reason }) => (part === 'controller' ? [[name, reason]] : [])),
  );
  const sizes = new Map<string, number>([
    ...runtime.watches.map(({ namespace, type, resources }) => [`watch ${namespace}/${type}`, resources] as const),
    ...runtime.caches.map(({ namespace, type, resources }) => [`cache ${namespace}/${type}`, resources] as const),
  ]);
  const failures = new Map<string, number>(
    runtime.watches.map(({ namespace, type, failures: count }) => [`watch ${namespace}/${type}`, count] as const),
  );
  return {
    ready,
    problems,
    status: runtime.health.status,
    loop: {
      lagMs: Math.floor(lagMs / lagStepMs) * lagStepMs,
      holds,
      lastHold: holdView(lastHold),
      longestHold: holdView(longestHold),
    },
    /** Watches, caches, controllers, tasks and bridges. */
    parts: runtime.health.parts.map(({ part, name, status, reason }) => ({
      part,
      name,
      status,
      reason: reason ?? '',
      /** Of a watch or a cache, how many it holds. */
      resources: sizes.get(`${part} ${name}`) ?? null,
      /** Of a watch, how often it broke. */
      failures: failures.get(`${part} ${name}`) ?? null,
    })),
    controllers: runtime.controllers.map((controller) => ({
      name: controller.name,
      status: controller.status,
      reason: reasons.get(controller.name) ?? '',
      queued: controller.queueLength,
      waiting: controller.waiting,
      inProgress: controller.inProgress,
      reconciled: controller.counts.reconciled,
      failed: controller.counts.failed,
      timedOut: controller.counts.timedOut,
      restarts: controller.restarts,
      lastError: controller.lastError?.message ?? '',
    })),
  };
}

export type HealthView = ReturnType<typeof healthView>;

function holdView(hold: LoopHold | undefined) {
  if (hold === undefined) return null;
  const { controller, heldMs, at } = hold;
  return { controller: controller ?? '', heldMs: Math.round(heldMs), at };
}
