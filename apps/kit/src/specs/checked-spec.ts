import type { SpecCodec } from '@cosi-ts/resource';
import { FieldError } from './field-error.js';

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

/** Throws a {@link FieldError} unless the value is an integer within the bounds. */
export function checkInteger(field: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new FieldError(field, `must be an integer from ${least} to ${most}, not ${value}`);
  }
}
