/** The error that was thrown; of anything else an error that shows it, with it as the cause. */
export function errorOf(thrown: unknown): Error {
  if (thrown instanceof Error || isErrorLike(thrown)) return thrown;
  return new Error(`${shown(thrown)} was thrown, which is no error`, { cause: thrown });
}

/** Errors of other realms are no instances of this one's class. */
function isErrorLike(thrown: unknown): thrown is Error {
  return Object.prototype.toString.call(thrown) === '[object Error]';
}

function shown(thrown: unknown): string {
  if (typeof thrown === 'string') return JSON.stringify(thrown);
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  try {
    return JSON.stringify(thrown) ?? 'an object';
  } catch {
    // Cyclic, or with a getter that throws: the cause has it all.
    return 'an object';
  }
}
