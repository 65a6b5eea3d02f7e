import { healthView as commonHealthView } from '@cosi-ts/app-kit';
import type { ControlPlane } from '../control-plane.js';

/** Health as the page shows it, and the addresses that there are for machines. */
export function healthView(plane: Pick<ControlPlane, 'health' | 'addresses'>) {
  const { cidr, size } = plane.addresses;
  return { ...commonHealthView(plane.health()), addresses: { network: cidr, size } };
}

export type HealthView = ReturnType<typeof healthView>;
