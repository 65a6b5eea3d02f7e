import { CosiError, hasCode, type Pointer, pointerText, type Subject } from '@cosi-ts/resource';

/** So many failures are named in a message. */
const toldFailures = 3;

/** A controller reached for something that it did not declare as input or output. */
export class UndeclaredError extends CosiError {
  constructor(
    readonly controller: string,
    what: string,
    subject: Subject,
  ) {
    super('runtime/undeclared', `controller ${JSON.stringify(controller)} ${what} ${pointerText(subject)}`, {
      subject,
    });
  }
}

/** A controller cannot be registered beside those that are. */
export class RegistrationError extends CosiError {
  constructor(
    readonly controller: string,
    reason: string,
  ) {
    super('runtime/registration', `controller ${JSON.stringify(controller)} cannot be registered: ${reason}`);
  }
}

/** No controller of that name and kind is registered. */
export class UnknownControllerError extends CosiError {
  constructor(
    readonly controller: string,
    kind = 'controller',
  ) {
    super('runtime/unknown-controller', `no ${kind} is called ${JSON.stringify(controller)}`);
  }
}

/** What failed while others were dealt with, and why. */
export interface FailedInput {
  readonly resource: Pointer;
  readonly error: Error;
}

/** Some of the resources that a controller dealt with together failed. Each was logged by itself. */
export class FailedInputsError extends CosiError {
  constructor(
    readonly controller: string,
    readonly failures: readonly FailedInput[],
  ) {
    const told = failures
      .slice(0, toldFailures)
      .map(({ resource, error }) => `${pointerText(resource)}: ${error.message}`);
    if (failures.length > toldFailures) told.push(`and ${failures.length - toldFailures} more`);
    super('runtime/failed-inputs', `${failures.length} failed: ${told.join('; ')}`, { cause: failures[0]?.error });
  }
}

/** A call took longer than it may: what its signal aborts with. */
export class DeadlineError extends CosiError {
  constructor(
    readonly deadlineMs: number,
    resource: Pointer,
  ) {
    super('runtime/deadline', `the work on ${pointerText(resource)} takes longer than ${deadlineMs} ms`, {
      subject: resource,
    });
  }
}

/** What a controller's signals abort with when its runtime ends. */
export class StoppedError extends CosiError {
  constructor(cause: unknown) {
    super('runtime/stopped', 'the runtime was stopped', { cause });
  }
}

export const isUndeclared = (error: unknown): error is UndeclaredError => hasCode(error, 'runtime/undeclared');
