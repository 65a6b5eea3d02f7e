import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** The absolute path that someone means by what they typed: from the folder they are in, and `~` is their home. */
export function typedPath(text: string, from: string): string {
  const home = /^~(?:\/+(.*))?$/s.exec(text);
  return home === null ? resolve(from, text) : resolve(homedir(), home[1] ?? '');
}
