import { CosiError, hasCode } from '@cosi-ts/resource';

/** A lease is not held any more: what the signals of work that needs it abort with. */
export class LeaseLostError extends CosiError {
  constructor(
    readonly lease: string,
    reason: string,
    details: { readonly cause?: unknown } = {},
  ) {
    super('runtime/lease-lost', `the lease ${JSON.stringify(lease)} is not held any more: ${reason}`, details);
  }
}

export const isLeaseLost = (error: unknown): error is LeaseLostError => hasCode(error, 'runtime/lease-lost');
