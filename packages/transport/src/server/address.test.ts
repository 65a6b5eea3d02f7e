import { describe, expect, it } from 'vitest';
import { addressText, isLocal, parseAddress } from './address.js';

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

  it.each([
    ['unix:/run/state.sock', '/run/state.sock'],
    ['unix:///run/state.sock', '/run/state.sock'],
    ['unix:/run//a/../state.sock', '/run/state.sock'],
    ['unix:state.sock', `${process.cwd()}/state.sock`],
  ])('%s', (text, path) => {
    expect(parseAddress(text)).toEqual({ path });
    expect(addressText({ path })).toBe(`unix:${path}`);
  });

  it.each(['unix:', 'unix://', 'unix://run/state.sock', `unix:/${'x'.repeat(103)}`, 'unix:/a\0b'])(
    'refuses %s',
    (text) => {
      expect(() => parseAddress(text)).toThrow(TypeError);
    },
  );
});

describe('isLocal', () => {
  it.each(['127.0.0.1:1', '127.9.9.9:1', 'localhost:1', 'LOCALHOST:1', '[::1]:1', '[::ffff:127.0.0.1]:1', 'unix:/a'])(
    'N8: %s is',
    (text) => {
      expect(isLocal(parseAddress(text))).toBe(true);
    },
  );

  it.each(['0.0.0.0:1', '[::]:1', '10.0.0.1:1', 'example.org:1', '127.0.0.1.example.org:1', 'localhost.example.org:1'])(
    'N8: %s is not',
    (text) => {
      expect(isLocal(parseAddress(text))).toBe(false);
    },
  );
});
