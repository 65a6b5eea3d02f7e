import type { Answers } from './child.js';

/** What a parent asks, and what it is told. */
export interface Question {
  readonly number: number;
  readonly name: string;
  readonly argument: unknown;
}

export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: string };

/** The number of the answer that says that a child is ready. */
export const readyNumber = 0;

/**
 * In a child process: answers what its parent asks, and tells it that it is ready. Ends the process when the parent has
 * gone, so that none is left behind.
 */
export function answerQuestions<A extends Answers>(answers: A, ready: unknown): void {
  process.on('message', async (question: Question) => {
    const { number, name, argument } = question;
    try {
      tell({ number, value: await answers[name]?.(argument) });
    } catch (error) {
      tell({ number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  tell({ number: readyNumber, value: ready });
}

function tell(answer: Answer): void {
  process.send?.(answer);
}
