/** Failures of calls of which the server has certainly seen nothing, or that it has not begun with. */
const unsent = new WeakSet<object>();

/** Marks the failure of a call that was never sent, or that the server said it has not begun with. */
export function markUnsent<E extends object>(failure: E): E {
  unsent.add(failure);
  return failure;
}

/** Whether a call that failed like that can be made again without being made twice. */
export function isUnsent(failure: unknown): boolean {
  return typeof failure === 'object' && failure !== null && unsent.has(failure);
}
