import { InvalidArgumentError, type SpecCodec } from '@cosi-ts/resource';

/**
 * The codec with a check of what comes in here: specs made, changed or read from their printed form. Specs that are
 * read from bytes are taken as they are, because other processes may have written them; controllers look at them again.
 */
export function checkedSpec<S, I>(codec: SpecCodec<S, I>, check: (spec: S) => void): SpecCodec<S, I> {
  const checked = (spec: S): S => {
    check(spec);
    return spec;
  };
  return {
    ...codec,
    parse: (input) => checked(codec.parse(input)),
    fromJson: (json) => checked(codec.fromJson(json)),
  };
}

/** What is thrown for a field of a spec that cannot be accepted. */
function wrongField(field: string, problem: string): InvalidArgumentError {
  return new InvalidArgumentError(`${field}: ${problem}`, { path: [field] });
}

/** Throws `invalid-argument` for a text without anything in it. */
export function checkText(field: string, text: string): void {
  if (text === '') throw wrongField(field, 'must not be empty');
}

/** Throws `invalid-argument` unless the number is 0 or more. */
export function checkCount(field: string, count: number | bigint): void {
  if (count < 0) throw wrongField(field, `must not be negative, and is ${count}`);
}

/** Throws `invalid-argument` unless the text is one of those. */
export function checkOneOf(field: string, text: string, options: readonly string[]): void {
  if (!options.includes(text)) throw wrongField(field, `must be ${options.join(' or ')}, not ${JSON.stringify(text)}`);
}

/** Throws `invalid-argument` unless the text is JSON. Empty counts as absent. */
export function checkJson(field: string, text: string): void {
  if (text !== '') parsed(field, text);
}

/** Throws `invalid-argument` unless the text is a JSON object. Empty counts as one without anything in it. */
export function checkJsonObject(field: string, text: string): void {
  if (text === '') return;
  const value = parsed(field, text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongField(field, 'must be a JSON object');
  }
}

function parsed(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrongField(field, `is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
