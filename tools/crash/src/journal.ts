import { readFileSync, writeSync } from 'node:fs';

/** What a writer is about to do. */
export interface Intent {
  readonly is: 'intent';
  readonly n: number;
  readonly op: 'create' | 'update' | 'destroy';
  readonly namespace: string;
  readonly id: string;
  /** What tells the spec that is to be from every other. Empty for a destroy. */
  readonly text: string;
}

/** A write that has been acknowledged. */
export interface Acknowledged {
  readonly is: 'acknowledged';
  readonly n: number;
}

/** What a watcher has seen and dealt with. */
export interface Seen {
  readonly is: 'seen';
  readonly namespace: string;
  /** Undefined for the bookmark that a watch begins with. */
  readonly event?: string;
  readonly bookmark: string;
  /** The watch did not go on where the one before had ended, which was too long ago. */
  readonly anew?: boolean;
}

export type Line = Intent | Acknowledged | Seen;

/**
 * The writer's own account of what it did, line by line. What has been written to the file is there whatever becomes of
 * the writer.
 */
export class Journal {
  readonly #file: number;

  constructor(file: number) {
    this.#file = file;
  }

  note(line: Line): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** The lines of a journal. The last one may have been cut off. */
export function readJournal(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines.map((line) => JSON.parse(line) as Line);
}

/** An event as journals and checks name it. */
export function eventText(type: string, id: string, version: bigint, text: string): string {
  return `${type} ${id}@${version} ${text}`;
}
