import type { AddressPlan } from '../controllers/address-plan.js';
import type { Health } from '../health.js';

/** Health as the page shows it: without what changes all the time and says nothing. */
export function healthView({ ready, problems, runtime }: Health, addresses: AddressPlan) {
  return {
    ready,
    problems,
    addresses: { network: addresses.cidr, size: addresses.size },
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

export type HealthView = ReturnType<typeof healthView>;
