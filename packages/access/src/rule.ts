import { IdQuery } from '@cosi-ts/resource';
import type { Access, Verb } from '@cosi-ts/state';

export type VerbName = Verb['name'];

/** What one rule of a role allows. Undefined: all there are. */
export interface RuleParts {
  readonly verbs: ReadonlySet<VerbName> | undefined;
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly types: ReadonlySet<string> | undefined;
  readonly ids: readonly IdQuery[] | undefined;
}

/** Allows some verbs on some resources. */
export class Rule {
  readonly #parts: RuleParts;

  constructor(parts: RuleParts) {
    this.#parts = parts;
  }

  /** A rule that names ids allows nothing to whole kinds: who lists or watches a kind sees all of its resources. */
  allows({ verb, namespace, type, id }: Access): boolean {
    const { verbs, namespaces, types, ids } = this.#parts;
    if (verbs?.has(verb.name) === false || namespaces?.has(namespace) === false || types?.has(type) === false)
      return false;
    return ids === undefined || (id !== undefined && ids.some((pattern) => pattern.matches(id)));
  }
}

/** A pattern that the whole id must match. Throws `invalid-argument` with the parser's message. */
export function wholeId(pattern: string): IdQuery {
  // First by itself, so that no parenthesis of it closes the one around it.
  new IdQuery(pattern);
  try {
    return new IdQuery(`\\A(?:${pattern})\\z`);
  } catch (error) {
    if (!pattern.includes('\\Q')) throw error;
    // A quote that the pattern leaves open goes to its end, and no further.
    return new IdQuery(`\\A(?:${pattern}\\E)\\z`);
  }
}
