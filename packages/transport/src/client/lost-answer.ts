import { type CosiError, UnavailableError } from '@cosi-ts/resource';
import type { Rpc } from '../rpc.js';

/** The failure of a write with which the server may have begun: nobody on this side knows what became of it. */
export function lostAnswer({ message, subject, cause }: CosiError, rpc: Rpc): UnavailableError {
  return new UnavailableError(`${message}; whether the ${rpc} had its effect is not known`, {
    subject,
    cause,
    outcomeUnknown: true,
  });
}
