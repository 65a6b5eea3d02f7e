import { CosiError, hasCode, type Pointer, pointerText, type Subject } from '@cosi-ts/resource';

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
