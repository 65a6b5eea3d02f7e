import { isInUse } from '@cosi-ts/resource';

/** The app cannot start, or a command cannot be done, and the message says all that a user needs to put it right: no stack is shown. */
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
  if (code === 'EADDRINUSE' || isInUse(error)) {
    return new StartError(`${what}: the port is taken. Stop what listens there, or choose another with ${option}`, {
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`${what}: ${message}. Choose another address with ${option}`, { cause: error });
  }
  return error;
}

/**
 * What to say when a file cannot be read or written.
 *
 * @param what `the machine file machines.json`
 * @param option by which another one can be named
 */
export function fileError(error: unknown, what: string, option: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new StartError(`${what}: ${message}. See to it, or name another one with ${option}`, { cause: error });
}
