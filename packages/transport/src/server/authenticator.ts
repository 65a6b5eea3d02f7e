import type { ClientCertificate } from './client-certificate.js';

/** A call whose caller wants to be known. */
export interface UnknownCall {
  /** `cosi.resource.State/Get` */
  readonly rpc: string;
  readonly headers: Headers;
  /** The network address of the caller. */
  readonly peer: string;
  /** Absent unless the client showed one that an authority of the server has issued and that has not expired. */
  readonly certificate?: ClientCertificate | undefined;
  /** Aborts when the caller gives up. */
  readonly signal: AbortSignal;
}

/**
 * Tells who calls: the identity that access rules see. Undefined when the call does not prove any. What it throws
 * refuses the call as well: as unauthenticated, and is logged, unless it is an error of the state or of the RPC library
 * that says unauthenticated, denied, unavailable or resource-exhausted itself.
 */
export type Authenticator = (call: UnknownCall) => string | undefined | Promise<string | undefined>;

/** Asks one after the other; the first identity counts. One that throws ends it. */
export function firstOf(...authenticators: readonly Authenticator[]): Authenticator {
  return async (call) => {
    for (const authenticate of authenticators) {
      const identity = await authenticate(call);
      if (identity !== undefined) return identity;
    }
    return undefined;
  };
}

export interface CertificateIdentityOptions {
  /** Which name of the certificate is the identity. Default: `commonName`. */
  readonly from?: 'commonName' | 'dns' | 'uri' | 'email' | undefined;
}

/**
 * The identity that the client's certificate names. A certificate that has no such name, or several, gives none.
 */
export function certificateIdentity({ from = 'commonName' }: CertificateIdentityOptions = {}): Authenticator {
  const namesOf = names[from];
  if (namesOf === undefined) throw new TypeError(`a certificate has no ${JSON.stringify(from)}: ${Object.keys(names)}`);
  return ({ certificate }) => {
    const [name, ...others] = certificate === undefined ? [] : namesOf(certificate);
    return others.length === 0 ? name : undefined;
  };
}

const names: Readonly<
  Record<NonNullable<CertificateIdentityOptions['from']>, (certificate: ClientCertificate) => readonly string[]>
> = {
  commonName: ({ commonName }) => (commonName === undefined ? [] : [commonName]),
  dns: ({ dnsNames }) => dnsNames,
  uri: ({ uris }) => uris,
  email: ({ emails }) => emails,
};
