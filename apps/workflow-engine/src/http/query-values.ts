import { Problem } from '@cosi-ts/app-kit';

/** True for `?name`, `?name=true`. Throws a {@link Problem} for what is neither true nor false. */
export function flagIn(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  if (value === null || value === 'false') return false;
  if (value === 'true' || value === '') return true;
  throw wrong(name, 'true or false', value);
}

/** An integer from `least` to `most`. Throws a {@link Problem}. */
export function integerIn<D extends number | undefined>(
  query: URLSearchParams,
  name: string,
  [least, most]: readonly [number, number],
  preset: D,
): number | D {
  const text = query.get(name);
  if (text === null) return preset;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw wrong(name, `an integer from ${least} to ${most}`, text);
  return value;
}

/** Some of these texts, with commas between them or given more than once; undefined: none is named. */
export function choicesIn<T extends string>(
  query: URLSearchParams,
  name: string,
  options: readonly T[],
): ReadonlySet<T> | undefined {
  const texts = query.getAll(name).flatMap((text) => text.split(','));
  if (texts.length === 0) return undefined;
  return new Set(
    texts.map((text) => {
      const option = options.find((known) => known === text);
      if (option === undefined) throw wrong(name, `one of ${options.join(', ')}`, text);
      return option;
    }),
  );
}

function wrong(name: string, what: string, value: string): Problem {
  return new Problem(400, 'invalid-argument', `${name} must be ${what}, not ${JSON.stringify(value)}`, {
    field: name,
    hint: `change ?${name}= in the address`,
  });
}
