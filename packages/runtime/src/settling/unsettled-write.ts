import { type Pointer, pointerText, type Resource, UnavailableError } from '@cosi-ts/resource';

/**
 * The answer to a write was lost, and what is stored does not tell whether it was made. The state can be read again: who
 * writes in a way that comes to the same when it is made twice can go on.
 */
export class UnsettledWriteError extends UnavailableError {
  constructor(
    pointer: Pointer,
    /** The resource as it was read after the answer was lost; undefined when it is absent. */
    readonly found: Resource | undefined,
    cause: unknown,
  ) {
    super(
      `the answer to a write of ${pointerText(pointer)} was lost, and what is stored does not tell whether it was made: ` +
        'whether it had its effect is not known',
      { subject: pointer, cause, outcomeUnknown: true },
    );
  }
}

/** So often at most something is made again. */
const mostRuns = 5;

/**
 * Makes what comes to the same when it is made twice, reads included, and makes it again when it is not known whether one
 * of its writes was made.
 */
export async function settledByRepeating<T>(make: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof UnsettledWriteError) || runs === mostRuns) throw error;
    }
  }
}
