import { Code, ConnectError } from '@connectrpc/connect';
import { causes, messageOf } from '../../causes.js';
import type { ServerAddress } from './server-address.js';

/** What goes wrong between two machines, by the code that Node gives it. */
const reasons: ReadonlyMap<string, (at: ServerAddress) => string> = new Map([
  ['ECONNREFUSED', ({ text }) => `nobody listens at ${text}: is the server running, and is that its address?`],
  ['ENOENT', ({ text }) => `there is no socket at ${text}: is the server running, and is that its path?`],
  ['EACCES', ({ text }) => `the socket at ${text} may not be used by this user`],
  ['ENOTFOUND', ({ host }) => `there is no host of the name ${host}`],
  ['EAI_AGAIN', ({ host }) => `the name ${host} cannot be looked up now`],
  ['EHOSTUNREACH', ({ text }) => `there is no way to ${text}`],
  ['ENETUNREACH', ({ text }) => `there is no way to ${text}`],
  ['ETIMEDOUT', ({ text }) => `${text} does not answer`],
  ['CERT_HAS_EXPIRED', ({ text }) => `the certificate of ${text} has expired`],
  ['CERT_NOT_YET_VALID', ({ text }) => `the certificate of ${text} is not valid yet: are both clocks right?`],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    ({ text }) => `the certificate of ${text} is for another name: is \`tls.serverName\` to be set?`,
  ],
]);

const untrusted: ReadonlySet<string> = new Set([
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** How TLS servers refuse the certificate of a client, or its absence. */
const refused = /^ERR_SSL_.*ALERT.*(?:CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/;

/** The status of calls for which there is no connection: what was tried, and what can be done. */
export function connectFailure(error: unknown, at: ServerAddress): ConnectError {
  if (error instanceof ConnectError) return error;
  const codes = [...causes(error)].flatMap((link) => {
    const { code } = Object(link) as { readonly code?: unknown };
    return typeof code === 'string' ? [code] : [];
  });
  const isRefused = codes.some((code) => refused.test(code));
  const status = isRefused ? Code.Unauthenticated : Code.Unavailable;
  return new ConnectError(
    isRefused ? `${at.text} does not accept the client's certificate` : textOf(codes, error, at),
    status,
    undefined,
    undefined,
    error,
  );
}

function textOf(codes: readonly string[], error: unknown, at: ServerAddress): string {
  for (const code of codes) {
    const reason = reasons.get(code);
    if (reason !== undefined) return reason(at);
    if (untrusted.has(code))
      return `the certificate of ${at.text} comes from nobody who is trusted: is \`tls.ca\` to be set?`;
    if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
      return `${at.text} does not speak TLS as it should: does it expect http: instead of https:? (${messageOf(error)})`;
    }
  }
  const hint = at.secure ? '' : ', or expect https: instead of http:';
  return `the connection to ${at.text} failed: it may not be a gRPC server${hint} (${messageOf(error)})`;
}
