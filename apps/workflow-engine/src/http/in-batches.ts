/**
 * What a stream gives, in arrays: all that is ready at a time, at most so many. When it is left early, what it waits for
 * is to be ended by whoever made it.
 */
export async function* inBatches<T>(
  items: AsyncGenerator<T, void, undefined>,
  most: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let next = items.next();
  try {
    for (;;) {
      const first = await next;
      if (first.done === true) return;
      const batch = [first.value];
      next = items.next();
      let isDone = false;
      while (batch.length < most && !isDone) {
        const ready = await Promise.race([next, turn()]);
        if (ready === undefined) break;
        isDone = ready.done === true;
        if (ready.done === true) break;
        batch.push(ready.value);
        next = items.next();
      }
      yield batch;
      if (isDone) return;
    }
  } finally {
    // Whoever leaves early does not hear of what comes then.
    next.catch(() => undefined);
  }
}

function turn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
