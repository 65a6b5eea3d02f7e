import { isNotFound } from '@cosi-ts/resource';

/** So many are worked on at once. */
const atOnce = 256;

/** Does something with each of many, some hundred at once. What one throws is thrown when its batch has ended. */
export async function eachOf<T>(of: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < of.length; from += atOnce) {
    const outcomes = await Promise.allSettled(of.slice(from, from + atOnce).map(work));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** Waits for what is to be done with a resource; that it is not there any more is as good as done. */
export async function ignoringAbsence(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
