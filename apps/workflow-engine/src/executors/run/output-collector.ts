import { Buffer } from 'node:buffer';
import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { type Clock, sleep } from '@cosi-ts/resource';
import { LineSplitter, type SplitLine } from '../logs/line-splitter.js';
import type { LogWriter, WrittenBefore } from '../logs/log-writer.js';
import type { Mask, MaskStream } from '../logs/mask.js';
import type { RawFiles } from './attempt-folder.js';

export interface CollectorOptions {
  readonly files: RawFiles;
  readonly log: LogWriter;
  /** Knows all secrets that the process knows. */
  readonly mask: Mask;
  readonly maxLineBytes: number;
  /** What an engine before this one has taken over already. */
  readonly written?: WrittenBefore;
  readonly clock: Clock;
}

const chunkBytes = 64 * 1024;

/** What is read is taken before anything else is read. */
const chunk = Buffer.allocUnsafe(chunkBytes);

/** How often files are looked at: soon after something came, and more and more seldom while nothing does. */
const firstPauseMs = 10;
const longestPauseMs = 250;

/** When the log is full, more than this is not read but skipped, except for its end … */
const skipBytes = 1024 * 1024;
/** … and the file is emptied when it has become larger than this, so that a flood does not fill the disk: when nothing
 * new is in it, and in any case when it is four times as large. */
const emptyBytes = 16 * 1024 * 1024;

/**
 * Takes what a process writes from the files that it writes to into the log. It is files, not pipes, since the process
 * outlives the engine, and must neither wait for it nor fail without it.
 */
export class OutputCollector {
  readonly #streams: readonly [RawStream, RawStream];
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;

  constructor(options: CollectorOptions) {
    const { files, written } = options;
    this.#clock = options.clock;
    this.#streams = [
      new RawStream('stdout', files.stdout, options, written?.stdout ?? 0),
      new RawStream('stderr', files.stderr, options, written?.stderr ?? 0),
    ];
    this.#following = this.#follow();
  }

  /** The last line on stderr that is not empty. */
  get lastError(): string {
    return this.#streams[1].lastLine;
  }

  /** Takes the rest, when the process has ended. The files are not closed. */
  async finish(): Promise<void> {
    await this.stop();
    while (await this.#drain());
    for (const stream of this.#streams) stream.end();
  }

  /** Takes nothing more. */
  async stop(): Promise<void> {
    // With a reason, or the platform makes an error for it.
    this.#stop.abort('stopped');
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      await sleep(this.#clock, pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = (await this.#drain()) ? firstPauseMs : Math.min(pauseMs * 1.5, longestPauseMs);
    }
  }

  async #drain(): Promise<boolean> {
    const [stdout, stderr] = this.#streams;
    // One after the other, so that bursts stay together, and first the one that was written to longer ago.
    const [first, second] = stdout.writtenAtMs <= stderr.writtenAtMs ? [stdout, stderr] : [stderr, stdout];
    const some = await first.drain();
    return (await second.drain()) || some;
  }
}

class RawStream {
  readonly #name: 'stdout' | 'stderr';
  readonly #file: number;
  readonly #options: CollectorOptions;
  #mask: MaskStream;
  #splitter: LineSplitter;
  #offset = 0;
  /** Something before the offset was not read: what comes up to the next end of a line is a part of it. */
  #isInGap = false;
  /** So many lines are in the log already. */
  #known: number;
  #lastTime: Date;
  lastLine = '';

  constructor(name: 'stdout' | 'stderr', file: number, options: CollectorOptions, known: number) {
    this.#name = name;
    this.#file = file;
    this.#options = options;
    this.#mask = options.mask.stream();
    this.#splitter = new LineSplitter(options.maxLineBytes);
    // After a cut the file may have been emptied; what is in it is then read for its last lines only.
    this.#known = options.written?.isCut === true ? 0 : known;
    this.#lastTime = options.clock.now().toDate();
  }

  get writtenAtMs(): number {
    return fstatSync(this.#file).mtimeMs;
  }

  /** Takes what there is now. Gives false when that is nothing. */
  async drain(): Promise<boolean> {
    const { log } = this.#options;
    // Costs much less than to read, and is asked of every process again and again.
    const { size, mtime } = fstatSync(this.#file);
    if (size === this.#offset) return false;
    this.#lastTime = mtime;
    // Somebody has emptied it.
    if (size < this.#offset) this.#begin(0);
    while (this.#offset < size) {
      if (log.isCut && size - this.#offset > skipBytes) this.#skipTo(size - chunkBytes);
      const bytesRead = readSync(this.#file, chunk, 0, chunkBytes, this.#offset);
      // Emptied meanwhile.
      if (bytesRead === 0) break;
      this.#offset += bytesRead;
      this.#take(chunk.subarray(0, bytesRead));
      await log.flush();
    }
    if (log.isCut) this.#empty();
    return true;
  }

  /** Between the two calls, something that comes is lost: in a flood that never ends that cannot be helped. */
  #empty(): void {
    if (this.#offset <= emptyBytes) return;
    if (fstatSync(this.#file).size > this.#offset && this.#offset <= 4 * emptyBytes) return;
    ftruncateSync(this.#file, 0);
    this.#begin(0);
    this.#isInGap = true;
  }

  #skipTo(offset: number): void {
    this.#options.log.leaveOut(offset - this.#offset);
    this.#begin(offset);
    this.#isInGap = true;
  }

  end(): void {
    this.#write(this.#splitter.push(this.#mask.end()));
    this.#write(this.#splitter.end());
  }

  /** What was kept of a line is dropped: without the rest of it, a secret in it would not be known as one. */
  #begin(offset: number): void {
    this.#offset = offset;
    this.#mask = this.#options.mask.stream();
    this.#splitter = new LineSplitter(this.#options.maxLineBytes);
  }

  #take(bytes: Buffer): void {
    let from = 0;
    if (this.#isInGap) {
      from = bytes.indexOf(10) + 1;
      if (from === 0) return;
      this.#isInGap = false;
    }
    this.#write(this.#splitter.push(this.#mask.push(bytes.subarray(from))));
  }

  #write(lines: readonly SplitLine[]): void {
    for (const { text, goesOn } of lines) {
      if (text.trim() !== '') this.lastLine = text;
      if (this.#known > 0) this.#known--;
      else this.#options.log.write({ time: this.#lastTime, stream: this.#name, text, goesOn });
    }
  }
}
