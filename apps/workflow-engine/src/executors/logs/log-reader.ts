import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, sleep, systemClock } from '@cosi-ts/resource';
import { undefinedIfMissing } from '../missing-file.js';
import { type LogLine, parseLogLine } from './log-line.js';

export interface FollowOptions {
  /** Where to begin, in bytes: 0, or the `nextOffset` of a line that was read before. Default: 0. */
  readonly from?: number;
  /**
   * Whether the attempt has ended. The log ends when it has and everything is read. Asked whenever the end of the file
   * is reached. Default: it has; what is there is read, and nothing waited for.
   */
  readonly isOver?: () => boolean | Promise<boolean>;
  readonly signal?: AbortSignal;
  /** How often the file is looked at while nothing comes. Default: 100. */
  readonly pollMs?: number;
  readonly clock?: Clock;
}

const chunkBytes = 64 * 1024;

/**
 * The lines of a log, from an offset to its end, and on while the attempt goes on. A log that is not there yet is
 * waited for. Rejects with the reason of the signal; `break` closes the file.
 */
export async function* readLog(path: string, options: FollowOptions = {}): AsyncGenerator<LogLine, void, undefined> {
  const { isOver = () => true, signal, pollMs = 100, clock = systemClock } = options;
  let offset = options.from ?? 0;
  let file: FileHandle | undefined;
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      signal?.throwIfAborted();
      // Asked before the file is read: what was written before the end is then seen.
      const over = await isOver();
      file ??= await open(path, 'r').catch(undefinedIfMissing);
      for (let count = -1; count !== 0 && file !== undefined; ) {
        count = (await file.read(chunk, 0, chunkBytes, offset + rest.length)).bytesRead;
        const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
        let at = 0;
        for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, at)) {
          const nextOffset = offset + end + 1 - at;
          const line = parseLogLine(bytes.toString('utf8', at, end));
          if (line !== undefined) yield { ...line, offset, nextOffset };
          offset = nextOffset;
          at = end + 1;
          signal?.throwIfAborted();
        }
        rest = bytes.subarray(at);
      }
      if (over) return;
      // Read again the next time: after a crash of its writer, the beginning of a line may be written anew.
      rest = Buffer.alloc(0);
      await sleep(clock, pollMs, signal);
    }
  } finally {
    await file?.close();
  }
}

/** Where the last so many lines of a log begin. 0 when there are fewer, or there is no log. */
export async function tailOffset(path: string, lines: number): Promise<number> {
  const file = await open(path, 'r').catch(undefinedIfMissing);
  if (file === undefined) return 0;
  try {
    let at = (await file.stat()).size;
    let missing = lines + 1;
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const size = at;
    while (at > 0) {
      const from = Math.max(0, at - chunkBytes);
      const { bytesRead } = await file.read(chunk, 0, at - from, from);
      for (let end = chunk.lastIndexOf(10, bytesRead - 1); end >= 0; end = previous(chunk, end)) {
        missing--;
        if (missing === 0) return from + end + 1;
      }
      at = from;
    }
    return lines === 0 ? size : 0;
  } finally {
    await file.close();
  }
}

function previous(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(10, end - 1);
}
