import { InvalidArgumentError } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { resolveConnectStateOptions } from './client/options.js';
import { resolveServeStateOptions } from './server/options.js';

describe('options', () => {
  it('N8: nothing listens beyond loopback unless asked', () => {
    expect(resolveServeStateOptions().address).toEqual({ host: '127.0.0.1', port: 4001 });
    expect(resolveServeStateOptions({ address: undefined }).address).toEqual({ host: '127.0.0.1', port: 4001 });
  });

  it('N8: strangers may not reach a server that asks nobody who they are, unless that is asked for', () => {
    const address = '0.0.0.0:4001';
    expect(() => resolveServeStateOptions({ address })).toThrow(InvalidArgumentError);
    expect(() => resolveServeStateOptions({ address: 'example.org:4001' })).toThrow(/example\.org:4001.*insecure/);
    const tls = { certFile: 'cert.pem', keyFile: 'key.pem' };
    for (const given of [{ insecure: true }, { authenticate: () => 'x' }, { tls }]) {
      expect(resolveServeStateOptions({ address, ...given }).address).toEqual({ host: '0.0.0.0', port: 4001 });
    }
  });

  it('N8: a server that asks for certificates of clients takes who they name for who calls', () => {
    const tls = { certFile: 'cert.pem', keyFile: 'key.pem' };
    expect(resolveServeStateOptions({ tls }).authenticate).toBeUndefined();
    expect(resolveServeStateOptions({ tls: { ...tls, clientCaFile: 'ca.pem' } }).authenticate).toBeDefined();
    expect(() => resolveServeStateOptions({ tls: { ...tls, requireClientCert: true } })).toThrow(/clientCa/);
    expect(() => resolveServeStateOptions({ tls: { ...tls, cert: 'x' } as never })).toThrow(/either/);
    expect(() => resolveServeStateOptions({ tls: { certFile: 'cert.pem' } as never })).toThrow(/key/);
  });

  it('N7: the limits of connections and streams are counts, and far up', () => {
    const resolved = resolveServeStateOptions();
    expect(resolved.maxStreamsPerConnection).toBeGreaterThanOrEqual(10_000);
    expect(resolved.maxConnections).toBeGreaterThanOrEqual(10_000);
    for (const count of [0, -1, 1.5, Number.NaN, 2 ** 31]) {
      expect(() => resolveServeStateOptions({ maxConnections: count })).toThrow(/maxConnections/);
      expect(() => resolveServeStateOptions({ maxStreamsPerConnection: count })).toThrow(/maxStreamsPerConnection/);
    }
  });

  it('N9: silent clients are pinged after 10 s, and have 5 s', () => {
    expect(resolveServeStateOptions().keepalive).toEqual({ pingIntervalMs: 10_000, pingTimeoutMs: 5000 });
    expect(resolveServeStateOptions({ pingIntervalMs: 0 }).keepalive).toBeUndefined();
    expect(() => resolveServeStateOptions({ pingIntervalMs: Number.NaN })).toThrow(RangeError);
  });

  it('N6: a limit of the size of messages must be one that the wire can express', () => {
    for (const maxMessageBytes of [0, -1, 1.5, Number.NaN, 2 ** 32]) {
      expect(() => resolveServeStateOptions({ maxMessageBytes })).toThrow(RangeError);
      expect(() => resolveConnectStateOptions({ maxMessageBytes })).toThrow(RangeError);
    }
    expect(resolveConnectStateOptions({ maxMessageBytes: 1 }).maxMessageBytes).toBe(1);
  });

  it('C17: a drain time must be a number', () => {
    expect(() => resolveServeStateOptions({ drainMs: Number.NaN })).toThrow(RangeError);
    expect(() => resolveServeStateOptions({ drainMs: Number.POSITIVE_INFINITY })).toThrow(RangeError);
  });
});
