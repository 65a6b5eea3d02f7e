import { constants, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { TlsContents, TlsFiles } from './tls-options.js';

/** Reads the files, if these are files. Rejects with Node's error, which names the file. */
export async function readTls(source: TlsContents | TlsFiles): Promise<TlsContents> {
  if ('cert' in source) return source;
  const { certFile, keyFile, clientCaFile, passphrase } = source;
  const [cert, key, clientCa] = await Promise.all([
    readFile(certFile, 'utf8'),
    readFile(keyFile, 'utf8'),
    clientCaFile === undefined ? undefined : readFile(clientCaFile, 'utf8'),
  ]);
  return { cert, key, clientCa, passphrase };
}

/** What Node makes contexts of. Throws when a part cannot be read, or the certificate and the key do not belong together. */
export function secureContextOptions({ cert, key, clientCa, passphrase }: TlsContents): SecureContextOptions {
  const options: SecureContextOptions = {
    cert: pem(cert),
    key: pem(key),
    minVersion: 'TLSv1.2',
    // A session that is resumed shows no certificate, and would outlive the one it was begun with.
    ...(clientCa !== undefined && { ca: authority(clientCa), secureOptions: constants.SSL_OP_NO_TICKET }),
    ...(passphrase !== undefined && { passphrase }),
  };
  createSecureContext(options);
  return options;
}

/** Until when the certificate is valid, in milliseconds since the epoch. */
export function validUntilMs({ cert }: TlsContents): number {
  return Date.parse(new X509Certificate(pem(cert)).validTo);
}

export function sameTls(a: TlsContents, b: TlsContents): boolean {
  return a.cert === b.cert && a.key === b.key && a.clientCa === b.clientCa;
}

/** Node takes a text without any certificate for a list of none. */
function authority(text: string | Uint8Array): string | Buffer {
  const given = pem(text);
  try {
    new X509Certificate(given);
  } catch (error) {
    throw new Error('the client authority is no certificate in PEM', { cause: error });
  }
  return given;
}

function pem(text: string | Uint8Array): string | Buffer {
  return typeof text === 'string' ? text : Buffer.from(text);
}
