import { Problem } from '@cosi-ts/app-kit';
import { Timestamp } from '@cosi-ts/resource';
import type { RunView } from './run-view.js';

/** Where a page of a list of runs, the newest first, ended. It holds also when that run is no more. */
export interface RunCursor {
  readonly created: Timestamp;
  readonly id: string;
}

export function encodeCursor({ created, id }: Pick<RunView, 'created' | 'id'>): string {
  return Buffer.from(`${created} ${id}`).toString('base64url');
}

/** Throws a {@link Problem}. */
export function decodeCursor(text: string): RunCursor {
  const [created = '', id] = Buffer.from(text, 'base64url').toString().split(' ');
  try {
    if (id !== undefined) return { created: Timestamp.parse(created), id };
  } catch {
    // Told below, like every other text that is none.
  }
  throw new Problem(400, 'invalid-argument', `after: ${JSON.stringify(text)} is no "next" of a list of runs`, {
    field: 'after',
    hint: 'leave it out for the first page',
  });
}

export function isAfter({ created, id }: Pick<RunView, 'created' | 'id'>, cursor: RunCursor): boolean {
  const order = Timestamp.parse(created).compare(cursor.created);
  return order < 0 || (order === 0 && id < cursor.id);
}
