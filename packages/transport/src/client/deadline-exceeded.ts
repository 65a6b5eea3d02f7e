import { CosiError, type ErrorDetails } from '@cosi-ts/resource';

/** The code of {@link DeadlineExceededError}. */
export const deadlineExceeded = 'transport/deadline-exceeded';

/** A call took longer than it was given. A write may have had its effect all the same. */
export class DeadlineExceededError extends CosiError {
  constructor(message: string, details: ErrorDetails = {}) {
    super(deadlineExceeded, message, details);
  }
}
