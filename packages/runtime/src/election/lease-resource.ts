import { defineResource, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';

export interface LeaseSpec {
  /** Empty when nobody holds it. */
  readonly holder: string;
  /** How long others wait from when they saw its last change. */
  readonly durationMs: number;
  /** How often the holder changed: the fencing token. */
  readonly transitions: number;
}

/** Owns all leases, and is the finalizer on them, so that none is destroyed by mistake while someone holds it. */
export const leaseOwner = 'LeaderElection';

/** Who leads: one resource for each name. Its id is the name. */
export const LeaseType = defineResource<LeaseSpec>({
  type: 'Leases.runtime.cosi.dev',
  namespace: 'runtime',
  printColumns: [
    { name: 'Holder', jsonPath: '{.holder}' },
    { name: 'Transitions', jsonPath: '{.transitions}' },
  ],
});

/** The spec, with what is not as it should be as one that expects the longest wait. */
export function readLease({ spec }: TypedResource<LeaseSpec>, ownDurationMs: number): LeaseSpec {
  const { holder, durationMs, transitions } = spec as Partial<LeaseSpec>;
  return {
    holder: typeof holder === 'string' ? holder : 'unknown',
    durationMs: Number.isFinite(durationMs) && (durationMs as number) > 0 ? (durationMs as number) : ownDurationMs,
    transitions: Number.isSafeInteger(transitions) ? (transitions as number) : 0,
  };
}

/** Makes the lease; `already-exists` when another one was faster. */
export function createLease(
  state: State,
  { id, namespace }: TypedPointer<LeaseSpec>,
  spec: LeaseSpec,
  signal: AbortSignal,
): Promise<TypedResource<LeaseSpec>> {
  const lease = LeaseType.new(id, spec, { namespace, finalizers: [leaseOwner] });
  return state.create(lease, { owner: leaseOwner, signal });
}

/** Writes the lease as it was read, with another spec; `version-conflict` when another one was faster. */
export function updateLease(
  state: State,
  stored: TypedResource<LeaseSpec>,
  spec: LeaseSpec,
  signal: AbortSignal,
): Promise<TypedResource<LeaseSpec>> {
  const { metadata } = stored;
  const lease = LeaseType.new(metadata.id, spec, { namespace: metadata.namespace }).withMetadata(metadata);
  return state.update(lease, { owner: metadata.owner, expectedPhase: 'any', signal });
}
