import { RE2JS, RE2JSException } from 're2js';
import { InvalidArgumentError } from './errors.js';

/**
 * A regular expression that ids are searched for, in RE2 syntax: found anywhere in the id unless it is anchored. It takes
 * linear time whatever the pattern. Made by {@link idQuery}.
 *
 * Ids are read by code points. What tells letters from others and folds case (`\pL`, `(?i)`) are the tables of the
 * engine's Unicode version, so that characters which Unicode added lately can be classed differently by peers.
 */
export class IdQuery {
  readonly pattern: string;
  readonly #compiled: RE2JS;

  /** Throws `invalid-argument` with the parser's message. */
  constructor(pattern: string) {
    this.pattern = pattern;
    this.#compiled = compile(pattern);
    Object.freeze(this);
  }

  matches(id: string): boolean {
    return this.#compiled.test(id);
  }
}

/** Queries by pattern, the one used longest ago first. Each may hold megabytes of automaton: that is why they are few. */
const cache = new Map<string, IdQuery>();
const maxCached = 32;
const maxCachedLength = 4096;

/**
 * The query with that pattern, compiled once for the patterns that were used lately. Throws `invalid-argument` with the
 * parser's message when the pattern is bad.
 */
export function idQuery(pattern: string): IdQuery {
  let query = cache.get(pattern);
  if (query === undefined) query = new IdQuery(pattern);
  else cache.delete(pattern);
  if (query.pattern.length <= maxCachedLength) cache.set(pattern, query);
  for (const oldest of cache.keys()) {
    if (cache.size <= maxCached) break;
    cache.delete(oldest);
  }
  return query;
}

/** True when the pattern is found in the id, or there is no query. */
export function matchesId(query: IdQuery | undefined, id: string): boolean {
  return query === undefined || query.matches(id);
}

/** Searching an id takes up to this many steps for each of its characters: a bound on what one query can cost. */
const maxProgramSize = 100_000;

function compile(pattern: string): RE2JS {
  if (typeof pattern !== 'string')
    throw new InvalidArgumentError(`an id query must be a string, not ${typeof pattern}`);
  if (/\p{Surrogate}/u.test(pattern)) {
    throw new InvalidArgumentError(`bad id query ${quoted(pattern)}: error parsing regexp: invalid UTF-8`);
  }
  try {
    const compiled = RE2JS.compile(withoutRepeatedNames(pattern));
    const size = compiled.programSize();
    if (size <= maxProgramSize) return compiled;
    throw new InvalidArgumentError(`id query ${quoted(pattern)} is too large: ${size} instructions`);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new InvalidArgumentError(`bad id query ${quoted(pattern)}: ${error.message}`, { cause: error });
  }
}

function quoted(pattern: string): string {
  return JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern);
}

// What can hold the beginning of a group without being one comes first: quoted text, an escaped character, a class.
const tokens = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w*:\]|\\.|[^\]\\])*\]|\((?:\?P?<(\w+)>)?/gsu;

/** Names of groups mean nothing in a search, and peers allow the same name twice, which the engine here does not. */
function withoutRepeatedNames(pattern: string): string {
  const seen = new Set<string>();
  return pattern.replace(tokens, (token, name: string | undefined) => {
    if (name === undefined || !seen.has(name)) {
      if (name !== undefined) seen.add(name);
      return token;
    }
    return '(';
  });
}
