import type { AddressPlan } from '../controllers/address-plan.js';
import type { Health } from '../health.js';

/** Health as the page shows it: without what changes all the time and says nothing. */
export function healthView({ ready, problems, runtime }: Health, addresses: AddressPlan) {
  const reasons = new Map(
    runtime.health.parts.flatMap(({ part, name, reason }) => (part === 'controller' ? [[name, reason]] : [])),
  );
  const { longestHold } = runtime.loop;
  return {
    ready,
    problems,
    addresses: { network: addresses.cidr, size: addresses.size },
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
