import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestAuthority } from '../testdata/certificates.js';
import { certificateIdentity, type UnknownCall } from './authenticator.js';
import { alternativeNames, type ClientCertificate } from './client-certificate.js';

const authority = new TestAuthority();

/** As Node prints those of a certificate. */
const printed = (wishes: Parameters<TestAuthority['issue']>[0]) =>
  new X509Certificate(authority.issue(wishes).cert).subjectAltName ?? '';

describe('alternativeNames', () => {
  it('reads what Node prints', () => {
    const text = printed({
      emails: ['a@b'],
      dns: ['x.example', 'y.example'],
      uris: ['spiffe://a/b:1'],
      ips: ['10.0.0.1'],
    });
    expect(alternativeNames(text)).toEqual([
      ['email', 'a@b'],
      ['DNS', 'x.example'],
      ['DNS', 'y.example'],
      ['URI', 'spiffe://a/b:1'],
      ['IP Address', '10.0.0.1'],
    ]);
    expect(alternativeNames('')).toEqual([]);
  });

  it('N8: no name passes for several, or for one of another kind', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'DNS:', 'URI:', ',', ' ', ', ', '"', '\\', ':', '\\u002c', '\n', '/'),
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(name, name, (uri, dns) => {
        expect(alternativeNames(printed({ dns: [dns], uris: [uri] }))).toEqual([
          ['DNS', dns],
          ['URI', uri],
        ]);
      }),
      { numRuns: 200 },
    );
  });

  it('N8: what cannot be read has no names', () => {
    for (const text of ['DNS', 'DNS:"a', 'DNS:a"b, URI:c', ', DNS:a']) expect(alternativeNames(text)).toEqual([]);
  });
});

describe('certificateIdentity', () => {
  const call = (certificate: Partial<ClientCertificate> | undefined) =>
    ({
      certificate: certificate && { commonName: undefined, dnsNames: [], uris: [], emails: [], ...certificate },
    }) as unknown as UnknownCall;

  it('N8: gives the one name that is asked for', () => {
    const all = { commonName: 'cn', dnsNames: ['dns'], uris: ['uri'], emails: ['mail'] };
    expect(certificateIdentity()(call(all))).toBe('cn');
    expect(certificateIdentity({ from: 'dns' })(call(all))).toBe('dns');
    expect(certificateIdentity({ from: 'uri' })(call(all))).toBe('uri');
    expect(certificateIdentity({ from: 'email' })(call(all))).toBe('mail');
    expect(() => certificateIdentity({ from: 'surname' as never })).toThrow(TypeError);
  });

  it('N8: gives none where there is none, or several', () => {
    expect(certificateIdentity()(call(undefined))).toBeUndefined();
    expect(certificateIdentity()(call({ dnsNames: ['dns'] }))).toBeUndefined();
    expect(certificateIdentity({ from: 'dns' })(call({ dnsNames: ['a', 'b'] }))).toBeUndefined();
  });
});
