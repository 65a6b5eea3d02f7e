import { Code, ConnectError } from '@connectrpc/connect';
import { isCosiError, UnauthenticatedError } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';
import { orAborted } from '../aborted.js';
import { causes } from '../causes.js';
import type { Logger } from '../logger.js';
import type { Authenticator } from './authenticator.js';
import { hasExpired, type ShownCertificate, unshown } from './client-certificate.js';
import type { Connection } from './connection.js';

export interface AdmissionOptions {
  readonly authenticate: Authenticator | undefined;
  readonly requireClientCert: boolean;
  /** The services that everyone may call, by their full names. */
  readonly openServices: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ArrivingCall {
  /** `cosi.resource.State/Get` */
  readonly rpc: string;
  readonly headers: Headers;
  readonly connection: Connection;
  readonly signal: AbortSignal;
}

/** What an authenticator may answer with other than that it does not know the caller. */
const ownCodes: ReadonlySet<string> = new Set(['unauthenticated', 'denied', 'unavailable', 'resource-exhausted']);
const ownStatuses: ReadonlySet<Code> = new Set([
  Code.Unauthenticated,
  Code.PermissionDenied,
  Code.Unavailable,
  Code.ResourceExhausted,
]);

/** Decides who calls, before anything of the request's body is read. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * The identity of the caller, at once where nobody is asked: undefined then. Throws, or rejects, when the call is not
   * to be made.
   */
  admit(call: ArrivingCall): Promise<string> | undefined {
    const { authenticate, requireClientCert, openServices } = this.#options;
    const service = call.rpc.slice(0, call.rpc.indexOf('/'));
    if (openServices.includes(service)) return undefined;
    const shown = this.#stillValid(call.connection.shown);
    if (requireClientCert && shown.certificate === undefined)
      throw new UnauthenticatedError(shown.reason ?? 'a certificate is needed');
    return authenticate === undefined ? undefined : this.#identify(call, shown, authenticate);
  }

  async #identify(call: ArrivingCall, shown: ShownCertificate, authenticate: Authenticator): Promise<string> {
    const { rpc, headers, connection, signal } = call;
    const { certificate } = shown;
    let identity: string | undefined;
    try {
      identity = await orAborted(
        (async () => authenticate({ rpc, headers, peer: connection.peer, certificate, signal }))(),
        signal,
      );
    } catch (error) {
      if (signal.aborted || hasOwnStatus(error)) throw error;
      this.#options.logger.error({ err: error, rpc, peer: connection.peer }, 'a caller could not be authenticated');
    }
    if (typeof identity === 'string' && identity !== '') return identity;
    const { reason } = shown;
    throw new UnauthenticatedError(`the caller is not known${reason === undefined ? '' : `: ${reason}`}`);
  }

  #stillValid(shown: ShownCertificate): ShownCertificate {
    if (shown.certificate === undefined || !hasExpired(shown.certificate, this.#options.clock)) return shown;
    return unshown("the client's certificate has expired since the connection was opened");
  }
}

function hasOwnStatus(error: unknown): boolean {
  for (const link of causes(error)) {
    if (link instanceof ConnectError) return ownStatuses.has(link.code);
    if (isCosiError(link)) return ownCodes.has(link.code);
  }
  return false;
}
