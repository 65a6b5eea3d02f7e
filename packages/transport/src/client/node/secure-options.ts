import tls from 'node:tls';
import type { ClientTlsOptions, Pem } from './tls-options.js';

/** Throws what Node makes of certificates and keys that cannot be read, or do not belong together. */
export function secureOptions(options: ClientTlsOptions): tls.ConnectionOptions {
  const { ca, cert, key, passphrase, serverName } = options;
  const credentials = {
    ...(ca !== undefined && { ca: (isList(ca) ? ca : [ca]).map(asBuffer) }),
    ...(cert !== undefined && { cert: asBuffer(cert) }),
    ...(key !== undefined && { key: asBuffer(key) }),
    ...(passphrase !== undefined && { passphrase }),
  };
  return {
    secureContext: tls.createSecureContext(credentials),
    ALPNProtocols: ['h2'],
    ...(serverName !== undefined && { servername: serverName }),
  };
}

function isList(given: Pem | readonly Pem[]): given is readonly Pem[] {
  return Array.isArray(given);
}

function asBuffer(given: Pem): Buffer {
  return typeof given === 'string' ? Buffer.from(given) : Buffer.from(given.buffer, given.byteOffset, given.byteLength);
}
