/** A certificate, a chain of them, or a key: PEM, as text or as the bytes of a file. */
export type Pem = string | Uint8Array;

/** How the client proves who it is, and whom it trusts. For `https:` URLs. */
export interface ClientTlsOptions {
  /** The authorities of the server's certificate. Default: those that Node trusts. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** The client's certificate, with the chain to its authority, for servers that ask for one. */
  readonly cert?: Pem | undefined;
  /** The key of the certificate. */
  readonly key?: Pem | undefined;
  /** The passphrase of the key. */
  readonly passphrase?: string | undefined;
  /** The name that the server's certificate must have. Default: the host of the URL. */
  readonly serverName?: string | undefined;
}

/** Certificates are renewed: a function is asked for each new connection. */
export type ClientTls = ClientTlsOptions | (() => ClientTlsOptions | Promise<ClientTlsOptions>);
