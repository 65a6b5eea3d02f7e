import { Buffer } from 'node:buffer';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatLogLine, type LogStream, parseLogLine, type WrittenLine } from './log-line.js';

export interface LogWriterOptions {
  /** The log never gets larger. Default: 10 MiB. */
  readonly maxBytes?: number;
  /** The part of it that is for the last lines, once the log was cut. Default: 64 KiB, at most a quarter of all. */
  readonly tailBytes?: number;
  /** Told once, when the file cannot be written; nothing more is written then. Default: nobody is told. */
  readonly onError?: (error: unknown) => void;
}

export const defaultLogBytes = 10 * 1024 * 1024;
const defaultTailBytes = 64 * 1024;

/** The marker's text begins with it, and no other line of the engine does. */
const cutText = 'the log is cut here';

/** What a log holds that was begun by a process that is no more. */
export interface WrittenBefore {
  readonly stdout: number;
  readonly stderr: number;
  /** Lines of the output that are missing are only those after the cut. */
  readonly isCut: boolean;
}

/**
 * Writes the log of one attempt. The file is made with the first line. Lines are written one after the other, many at
 * once where many came. When the log has reached its limit, a line of the engine says so; of what comes then only the
 * last lines are kept, and written at the end.
 */
export class LogWriter {
  readonly path: string;
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #onError: (error: unknown) => void;
  #file: FileHandle | undefined;
  /** How much of the file is taken, with what waits to be written. */
  #bytes = 0;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #tail: Tail | undefined;
  #isBroken = false;
  #closed: Promise<void> | undefined;

  constructor(path: string, options: LogWriterOptions = {}) {
    this.path = path;
    const maxBytes = options.maxBytes ?? defaultLogBytes;
    if (!(maxBytes >= 1024)) throw new RangeError(`maxBytes of a log must be at least 1024, not ${maxBytes}`);
    this.#tailBytes = Math.min(options.tailBytes ?? defaultTailBytes, maxBytes / 4);
    // There is room for the two lines of the engine about the cut.
    this.#headBytes = maxBytes - this.#tailBytes - 300;
    this.#onError = options.onError ?? (() => undefined);
  }

  /** Goes on with a log. Lines that were not written whole are taken out, and so are the last lines after a cut. */
  async resume(): Promise<WrittenBefore> {
    const file = await this.#open();
    const bytes = await file.readFile();
    const counts = { stdout: 0, stderr: 0 };
    let isCut = false;
    let at = 0;
    for (let end = bytes.indexOf(10); end >= 0 && !isCut; end = bytes.indexOf(10, at)) {
      const line = parseLogLine(bytes.toString('utf8', at, end));
      at = end + 1;
      if (line === undefined) continue;
      if (line.stream !== 'engine') counts[line.stream]++;
      else isCut = line.text.startsWith(cutText);
    }
    await file.truncate(at);
    this.#bytes = at;
    if (isCut) this.#tail = new Tail(this.#tailBytes);
    return { ...counts, isCut };
  }

  /** Whether the limit was reached: then all but the last lines are dropped. */
  get isCut(): boolean {
    return this.#tail !== undefined;
  }

  write(line: WrittenLine): void {
    if (this.#isBroken || this.#closed !== undefined) return;
    const text = formatLogLine(line);
    const bytes = Buffer.byteLength(text);
    if (this.#tail === undefined && this.#bytes + bytes > this.#headBytes) {
      this.#append(engineLine(line.time, `${cutText}: it is full; its last lines follow when the attempt has ended`));
      this.#tail = new Tail(this.#tailBytes);
    }
    if (this.#tail === undefined) this.#append(text, bytes);
    else this.#tail.add(text);
  }

  /** A line of the log as {@link write} takes it, made of its parts. */
  say(stream: LogStream, text: string, time: Date): void {
    for (const line of text.split('\n')) this.write({ time, stream, text: line, goesOn: false });
  }

  /** Output that was not even read counts as left out. */
  leaveOut(bytes: number): void {
    this.#tail?.leaveOut(bytes);
  }

  /** Resolves when everything is in the file that was given until now. Never rejects. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** @param now of the line that says how much was left out, where something was */
  close(now: Date): Promise<void> {
    this.#closed ??= this.#close(now);
    return this.#closed;
  }

  async #close(now: Date): Promise<void> {
    if (this.#tail !== undefined) {
      const { lines, droppedBytes } = this.#tail;
      if (droppedBytes > 0) this.#append(engineLine(now, `${droppedBytes} bytes of the log are left out here`));
      for (const line of lines) this.#append(line);
    }
    await this.flush();
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  #append(text: string, bytes = Buffer.byteLength(text)): void {
    this.#bytes += bytes;
    this.#waiting.push(text);
    this.#writing ??= this.#writeWaiting();
  }

  async #writeWaiting(): Promise<void> {
    try {
      const file = await this.#open();
      while (this.#waiting.length > 0) {
        const text = this.#waiting.join('');
        this.#waiting = [];
        await file.appendFile(text);
      }
    } catch (error) {
      this.#isBroken = true;
      this.#waiting = [];
      this.#onError(error);
    } finally {
      this.#writing = undefined;
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== undefined) return this.#file;
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    this.#file = await open(this.path, 'a+', 0o600);
    return this.#file;
  }
}

function engineLine(time: Date, text: string): string {
  return formatLogLine({ time, stream: 'engine', text, goesOn: false });
}

/** The last lines, as many as there is room for. */
class Tail {
  readonly lines: string[] = [];
  readonly #maxBytes: number;
  #bytes = 0;
  droppedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(line: string): void {
    this.lines.push(line);
    this.#bytes += Buffer.byteLength(line);
    while (this.#bytes > this.#maxBytes) {
      const first = Buffer.byteLength(this.lines.shift() as string);
      this.#bytes -= first;
      this.droppedBytes += first;
    }
  }

  leaveOut(bytes: number): void {
    for (const line of this.lines) this.droppedBytes += Buffer.byteLength(line);
    this.lines.length = 0;
    this.#bytes = 0;
    this.droppedBytes += bytes;
  }
}
