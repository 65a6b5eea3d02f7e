import { checkDelay } from '@cosi-ts/state';

/** Certificates and keys as PEM texts. */
export interface TlsContents {
  /** The server's certificate, followed by those between it and the authority. */
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
  /** The authorities whose certificates clients may show. Default: clients are not asked for certificates. */
  readonly clientCa?: string | Uint8Array | undefined;
  readonly passphrase?: string | undefined;
}

/** The same in files, which are looked at again and again and may be replaced while the server runs. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile?: string | undefined;
  readonly passphrase?: string | undefined;
  /** How often the files are looked at. Default: 10 000. */
  readonly reloadIntervalMs?: number | undefined;
}

export type ServerTlsOptions = (TlsContents | TlsFiles) & {
  /** Refuse every call whose client has not shown a valid certificate. Default: false. Needs a client authority. */
  readonly requireClientCert?: boolean | undefined;
};

export interface ResolvedServerTlsOptions {
  readonly source: TlsContents | TlsFiles;
  readonly asksForClientCert: boolean;
  readonly requireClientCert: boolean;
  readonly reloadIntervalMs: number;
}

const defaultReloadIntervalMs = 10_000;

/** Throws a `TypeError` or `RangeError` that names the field. */
export function resolveServerTlsOptions(options: ServerTlsOptions): ResolvedServerTlsOptions {
  const { requireClientCert = false, ...source } = options;
  const { cert, key, clientCa, certFile, keyFile, clientCaFile } = source as Partial<TlsContents & TlsFiles>;
  const contents = [cert, key, clientCa].some((part) => part !== undefined);
  const files = [certFile, keyFile, clientCaFile].some((part) => part !== undefined);
  if (contents && files) throw new TypeError('tls takes either PEM texts (cert, key) or files (certFile, keyFile)');
  if (files ? certFile === undefined || keyFile === undefined : cert === undefined || key === undefined)
    throw new TypeError('tls needs a certificate and its key: cert and key, or certFile and keyFile');
  const asksForClientCert = (clientCa ?? clientCaFile) !== undefined;
  if (requireClientCert && !asksForClientCert)
    throw new TypeError('tls.requireClientCert needs the authority of the clients: clientCa or clientCaFile');
  const reloadIntervalMs = checkDelay((source as Partial<TlsFiles>).reloadIntervalMs ?? defaultReloadIntervalMs);
  if (reloadIntervalMs < 1) throw new RangeError(`tls.reloadIntervalMs must be at least 1, not ${reloadIntervalMs}`);
  return Object.freeze({ source: Object.freeze(source), asksForClientCert, requireClientCert, reloadIntervalMs });
}
