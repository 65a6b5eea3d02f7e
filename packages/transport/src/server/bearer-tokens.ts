import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authenticator } from './authenticator.js';

/** The identity that each token stands for. */
export type TokenIdentities = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

export interface BearerTokens extends Authenticator {
  /** Takes other tokens in place of all that were known. Calls in progress go on. */
  replace(tokens: TokenIdentities): void;
}

interface KnownToken {
  readonly hash: Buffer;
  readonly identity: string;
}

/**
 * The identity that the token in the header `authorization: Bearer …` stands for. Only hashes of the tokens are kept,
 * and each call is compared with all of them, in a time that tells nothing: meant for up to some thousands.
 */
export function bearerTokens(tokens: TokenIdentities): BearerTokens {
  let known = knownTokens(tokens);
  const authenticate: Authenticator = ({ headers }) => {
    const [, token] = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
    return token === undefined ? undefined : identityOf(known, token);
  };
  return Object.assign(authenticate, {
    replace: (others: TokenIdentities) => {
      known = knownTokens(others);
    },
  });
}

function identityOf(known: readonly KnownToken[], token: string): string | undefined {
  const hash = hashOf(token);
  let identity: string | undefined;
  for (const each of known) {
    if (timingSafeEqual(each.hash, hash)) identity = each.identity;
  }
  return identity;
}

function knownTokens(tokens: TokenIdentities): readonly KnownToken[] {
  const entries = tokens instanceof Map ? [...tokens.entries()] : Object.entries(tokens);
  return entries.map(([token, identity]) => {
    // The token is a secret: the message does not repeat it.
    if (!/^\S+$/.test(token)) throw new TypeError('a bearer token must be a text without spaces, and not be empty');
    if (typeof identity !== 'string' || identity === '')
      throw new TypeError('a bearer token must stand for an identity');
    return { hash: hashOf(token), identity };
  });
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
