import { describe, expect, it } from 'vitest';
import { resolveConnectStateOptions } from './client/options.js';
import { defaultServeStateOptions, resolveServeStateOptions } from './server/options.js';

describe('options', () => {
  it('N8: nothing listens beyond loopback unless asked', () => {
    expect(resolveServeStateOptions().address).toBe('127.0.0.1:4001');
    expect(resolveServeStateOptions({ address: undefined, drainMs: 5 })).toEqual({
      ...defaultServeStateOptions,
      drainMs: 5,
    });
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
