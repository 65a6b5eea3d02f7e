import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { systemClock } from '@cosi-ts/state';

/** A certificate with its key, both as PEM. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWishes {
  /** Default: none. */
  readonly commonName?: string;
  readonly dns?: readonly string[];
  readonly uris?: readonly string[];
  readonly emails?: readonly string[];
  readonly ips?: readonly string[];
  /** From now. Default: a day ago and a day ahead. */
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** An authority that is made for a test and signs certificates with P-256. */
export class TestAuthority {
  readonly cert: string;
  readonly #key: KeyObject;
  readonly #name: Buffer;

  constructor(name = 'test authority') {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = pair.privateKey;
    this.#name = distinguishedName(name);
    this.cert = certificate(this.#name, pair.publicKey, this.#name, this.#key, {}, [
      extension('2.5.29.19', true, sequence(Buffer.from([0x01, 0x01, 0xff]))),
    ]);
  }

  issue(wishes: CertificateWishes = {}): Issued {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const names = [
      ...(wishes.emails ?? []).map((email) => tagged(0x81, Buffer.from(email, 'latin1'))),
      ...(wishes.dns ?? []).map((name) => tagged(0x82, Buffer.from(name, 'latin1'))),
      ...(wishes.uris ?? []).map((uri) => tagged(0x86, Buffer.from(uri, 'latin1'))),
      ...(wishes.ips ?? []).map((ip) => tagged(0x87, Buffer.from(ip.split('.').map(Number)))),
    ];
    const extensions = names.length === 0 ? [] : [extension('2.5.29.17', false, sequence(...names))];
    const subject = distinguishedName(wishes.commonName);
    return {
      cert: certificate(subject, pair.publicKey, this.#name, this.#key, wishes, extensions),
      key: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    };
  }

  /** What servers of tests show. */
  issueForLoopback(): Issued {
    return this.issue({ commonName: 'loopback', dns: ['localhost'], ips: ['127.0.0.1'] });
  }
}

/** Another key for a certificate that it does not belong to. */
export function otherKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

const dayMs = 86_400_000;
const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
let serial = 1;

function certificate(
  subject: Buffer,
  publicKey: KeyObject,
  issuer: Buffer,
  key: KeyObject,
  { fromMs = -dayMs, untilMs = dayMs }: CertificateWishes,
  extensions: readonly Buffer[],
): string {
  const algorithm = sequence(objectId(ecdsaWithSha256));
  const now = systemClock.now().seconds * 1000;
  const body = sequence(
    tagged(0xa0, Buffer.from([0x02, 0x01, 0x02])),
    tagged(0x02, Buffer.from([0x01, ++serial >> 16, (serial >> 8) & 0xff, serial & 0xff])),
    algorithm,
    issuer,
    sequence(time(now + fromMs), time(now + untilMs)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    ...(extensions.length === 0 ? [] : [tagged(0xa3, sequence(...extensions))]),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, key)]));
  const base64 = sequence(body, algorithm, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

function distinguishedName(commonName: string | undefined): Buffer {
  if (commonName === undefined) return sequence();
  return sequence(tagged(0x31, sequence(objectId('2.5.4.3'), tagged(0x0c, Buffer.from(commonName)))));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [Buffer.from([0x01, 0x01, 0xff])] : [];
  return sequence(objectId(id), ...flag, tagged(0x04, value));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, '');
  return tagged(0x18, Buffer.from(digits, 'latin1'));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift(0x80 | (left & 0x7f));
    bytes.push(...digits);
  }
  return tagged(0x06, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

/** One value of DER: what it is, how long it is, what is in it. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}
