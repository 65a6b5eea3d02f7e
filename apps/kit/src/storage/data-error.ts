import { isCorrupt, isCosiError, isInUse, isResourceExhausted } from '@cosi-ts/resource';
import { StartError } from '../start-error.js';
import type { DataFolder } from './data-folder.js';

/** What to say when the data cannot be opened, written or read. Any other error is given back as it is. */
export function dataError(error: unknown, { path }: DataFolder): unknown {
  const message = messageOf(error, path);
  return message === undefined ? error : new StartError(message, { cause: error });
}

function messageOf(error: unknown, path: string): string | undefined {
  if (error instanceof StartError) return undefined;
  const { message } = error as Error;
  if (isInUse(error)) {
    return `the data in ${path} is in use: stop the program that uses it, or name another folder with --data`;
  }
  if (isFull(error)) {
    return `there is no room for the data in ${path}: make some, and start again. Nothing that was there is lost (${message})`;
  }
  if (isCorrupt(error)) {
    return (
      `the data in ${path} is damaged: ${message}. It was left as it is. The command "verify" tells all that is wrong, ` +
      '"repair <folder>" makes new data of what can be read, and a backup can be used with --data'
    );
  }
  if (isUnavailable(error)) {
    return `the data in ${path} cannot be read and written: ${message}. See to it, or name another folder with --data`;
  }
  return undefined;
}

/** What to say when a new folder cannot be written. Any other error is given back as it is. */
export function targetError(error: unknown, path: string): unknown {
  if (error instanceof StartError || !(isFull(error) || isUnavailable(error))) return error;
  return new StartError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
}

function isFull(error: unknown): boolean {
  return isResourceExhausted(error) || ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '');
}

function isUnavailable(error: unknown): boolean {
  return isCosiError(error) ? error.code === 'unavailable' : systemCode(error) !== undefined;
}

/** By which the file system says what is wrong. */
function systemCode(error: unknown): string | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? undefined : code;
}
