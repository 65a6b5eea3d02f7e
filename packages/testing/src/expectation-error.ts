import { CosiError, hasCode, type Subject } from '@cosi-ts/resource';

/** What was waited for did not come about in time. Its cause is the last mismatch. */
export class ExpectationError extends CosiError {
  constructor(message: string, details: { readonly subject?: Subject | undefined; readonly cause?: unknown } = {}) {
    super('testing/expectation', message, details);
  }
}

export const isExpectation = (error: unknown): error is ExpectationError => hasCode(error, 'testing/expectation');

/** Something was left behind that should have ended with the test. */
export class LeakError extends CosiError {
  constructor(readonly leaks: readonly string[]) {
    super('testing/leak', `left behind at the end of the test:\n${leaks.map((leak) => `  - ${leak}`).join('\n')}`);
  }
}

export const isLeak = (error: unknown): error is LeakError => hasCode(error, 'testing/leak');
