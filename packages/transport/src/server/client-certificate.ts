import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Clock } from '@cosi-ts/state';

/** What the certificate of a client says. It was issued by an authority that the server knows. */
export interface ClientCertificate {
  /** Undefined when the subject has none, or several. */
  readonly commonName: string | undefined;
  /** The alternative names of the subject. */
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  /** Of SHA-256, in hexadecimal digits with colons between the bytes. */
  readonly fingerprint256: string;
  readonly serialNumber: string;
  readonly validUntilMs: number;
  /** The certificate itself, as DER. */
  readonly der: Uint8Array;
}

/** What a connection showed. Where there is no certificate that counts, the reason, unless none was asked for. */
export interface ShownCertificate {
  readonly certificate: ClientCertificate | undefined;
  readonly reason: string | undefined;
}

export function unshown(reason: string | undefined): ShownCertificate {
  return Object.freeze({ certificate: undefined, reason });
}

/** Reads what the client showed in the handshake, having been asked to. */
export function shownCertificate(socket: TLSSocket): ShownCertificate {
  // Node fills this in on servers, too.
  const shown = socket.getPeerCertificate() as Partial<DetailedPeerCertificate>;
  // Comes first: Node calls a session authorized that was resumed without any certificate.
  if (shown.raw === undefined) return unshown('the client showed no certificate');
  if (!socket.authorized)
    return unshown(`the client's certificate is not accepted: ${String(socket.authorizationError ?? 'unknown')}`);
  return Object.freeze({ certificate: readCertificate(shown as DetailedPeerCertificate), reason: undefined });
}

/** Connections can live longer than certificates. */
export function hasExpired({ validUntilMs }: ClientCertificate, clock: Clock): boolean {
  return clock.now().seconds * 1000 > validUntilMs;
}

function readCertificate(shown: DetailedPeerCertificate): ClientCertificate {
  const names = alternativeNames(shown.subjectaltname ?? '');
  const of = (kind: string) => Object.freeze(names.filter(([each]) => each === kind).map(([, name]) => name));
  const commonName: unknown = shown.subject.CN;
  return Object.freeze({
    commonName: typeof commonName === 'string' && commonName !== '' ? commonName : undefined,
    dnsNames: of('DNS'),
    uris: of('URI'),
    emails: of('email'),
    fingerprint256: shown.fingerprint256,
    serialNumber: shown.serialNumber,
    validUntilMs: Date.parse(shown.valid_to),
    der: new Uint8Array(shown.raw),
  });
}

/** Node prints names as `DNS:a, URI:b`, and those that hold anything special as a string of JSON. */
export function alternativeNames(text: string): readonly (readonly [kind: string, name: string])[] {
  const names: [string, string][] = [];
  const name = /([^:,]+):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y;
  while (name.lastIndex < text.length) {
    const found = name.exec(text);
    if (found === null) return [];
    const [, kind = '', value = ''] = found;
    names.push([kind, value.startsWith('"') ? (JSON.parse(value) as string) : value]);
  }
  return names;
}
