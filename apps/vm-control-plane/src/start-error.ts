/** The app cannot start, and the message says all that a user needs to put it right: no stack is shown. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/**
 * What to say when something cannot listen.
 *
 * @param what `HTTP on 127.0.0.1:8080`
 * @param option by which another place can be named
 */
export function startError(error: unknown, what: string, option: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new StartError(`${what}: the port is taken. Stop what listens there, or choose another with ${option}`, {
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`${what}: ${message}. Choose another address with ${option}`, { cause: error });
  }
  return error;
}
