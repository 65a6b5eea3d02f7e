/** Marshalers answer at once when they can: a promise for each record would cost more than the work. */
export type MaybePromise<T> = T | Promise<T>;

/** The result of the function for the value, once that is there. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
