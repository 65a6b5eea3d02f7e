import type { Health } from '../health.js';

/** Health as the page shows it: without what changes all the time and says nothing. */
export function healthView({ ready, problems, runtime }: Health) {
  return {
    ready,
    problems,
    controllers: runtime.controllers.map(({ name, status, queueLength, waiting, inProgress, counts, lastError }) => ({
      name,
      status,
      queued: queueLength,
      waiting,
      inProgress,
      reconciled: counts.reconciled,
      failed: counts.failed,
      lastError: lastError?.message ?? '',
    })),
  };
}
