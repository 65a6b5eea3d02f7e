import { describe, expect, it } from 'vitest';
import { addressText, parseAddress } from './address.js';

describe('parseAddress', () => {
  it.each([
    ['127.0.0.1:4001', '127.0.0.1', 4001],
    ['localhost:0', 'localhost', 0],
    ['[::1]:65535', '::1', 65_535],
  ])('%s', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port });
    expect(addressText({ host, port })).toBe(text);
  });

  it.each(['', '4001', ':4001', 'host', 'host:', 'host:65536', '::1:80', '[::1]', 'http://host:80', 'a:b:80'])(
    'refuses %s',
    (text) => {
      expect(() => parseAddress(text)).toThrow(TypeError);
    },
  );
});
