import { InvalidArgumentError } from '@cosi-ts/resource';

/** A field of a spec, or of a request, that cannot be accepted. */
export class FieldError extends InvalidArgumentError {
  constructor(
    /** The name that users know the field by: `cpus`, `hostSelector`. */
    readonly field: string,
    readonly problem: string,
  ) {
    super(`${field}: ${problem}`, { path: [field] });
  }
}
