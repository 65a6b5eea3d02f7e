import { describe, expect, it } from 'vitest';
import { firstOf, type UnknownCall } from './authenticator.js';
import { type BearerTokens, bearerTokens, type TokenIdentities } from './bearer-tokens.js';

const call = (authorization?: string) =>
  ({ headers: new Headers(authorization === undefined ? {} : { authorization }) }) as unknown as UnknownCall;

const made = (tokens: TokenIdentities): BearerTokens => bearerTokens(tokens);

describe('bearerTokens', () => {
  it.each([
    ['Bearer t0ken', 'alice'],
    ['bearer  t0ken ', 'alice'],
    ['BEARER other', 'bob'],
    ['Bearer t0ken2', undefined],
    ['Bearer t0ke', undefined],
    ['Bearer ', undefined],
    ['Bearer t0ken other', undefined],
    ['Basic t0ken', undefined],
    ['t0ken', undefined],
    ['Bearer __proto__', undefined],
    [undefined, undefined],
  ])('N8: %s is %s', (authorization, identity) => {
    const authenticate = made({ t0ken: 'alice', other: 'bob' });
    expect(authenticate(call(authorization))).toBe(identity);
  });

  it('N8: refuses tokens and identities that are none, and does not repeat a secret', () => {
    for (const token of ['', ' ', 'a b', 'a\n']) {
      expect(() => made(new Map([[token, 'alice']]))).toThrow(TypeError);
    }
    expect(() => made({ s3cr3t: '' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('s3cr3t') }),
    );
    const authenticate = made({ t0ken: 'alice' });
    expect(() => authenticate.replace({ '': 'bob' })).toThrow(TypeError);
    expect(authenticate(call('Bearer t0ken'))).toBe('alice');
  });
});

describe('firstOf', () => {
  it('N8: asks in order until one knows the caller, or refuses', async () => {
    const asked: string[] = [];
    const answers = (name: string, identity: string | undefined) => () => {
      asked.push(name);
      return identity;
    };
    expect(await firstOf(answers('a', undefined), answers('b', 'bob'), answers('c', 'carol'))(call())).toBe('bob');
    expect(asked).toEqual(['a', 'b']);
    const refused = firstOf(() => Promise.reject(new Error('no')), answers('d', 'dave'))(call());
    await expect(refused).rejects.toThrow('no');
    expect(asked).toEqual(['a', 'b']);
    expect(await firstOf()(call())).toBeUndefined();
  });
});
