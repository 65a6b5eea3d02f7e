import type { Health } from '../health.js';

/** Health as pages show it: without what changes all the time and says nothing. */
export function healthView({ ready, problems, runtime }: Health) {
  const reasons = new Map(
    runtime.health.parts.flatMap(({ part, name, reason }) => (part === 'controller' ? [[name, reason]] : [])),
  );
  const { longestHold } = runtime.loop;
  return {
    ready,
    problems,
    longestHold: longestHold === undefined ? null : { ...longestHold, heldMs: Math.round(longestHold.heldMs) },
    controllers: runtime.controllers.map(({ name, status, queueLength, waiting, inProgress, counts, lastError }) => ({
      name,
      status,
      reason: reasons.get(name) ?? '',
      queued: queueLength,
      waiting,
      inProgress,
      reconciled: counts.reconciled,
      failed: counts.failed,
      lastError: lastError?.message ?? '',
    })),
  };
}

export type HealthView = ReturnType<typeof healthView>;
