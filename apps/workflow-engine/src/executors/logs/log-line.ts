/**
 * Where a line of a log comes from: the output of a process (of a function: what it logs, warnings and errors as
 * `stderr`), or the engine, which says what it did with the attempt.
 */
export type LogStream = 'stdout' | 'stderr' | 'engine';

export interface LogLine {
  /** When the engine saw it. */
  readonly time: Date;
  readonly stream: LogStream;
  /** Without its end. */
  readonly text: string;
  /** The line was too long for one: it goes on in the next one of the same stream. */
  readonly goesOn: boolean;
  /** Where it begins in the log, and where the one after it does, in bytes. */
  readonly offset: number;
  readonly nextOffset: number;
}

/** What a writer gives of a line. */
export type WrittenLine = Pick<LogLine, 'time' | 'stream' | 'text' | 'goesOn'>;

let lastMs = Number.NaN;
let lastTime = '';

/** Lines come in bursts, and most of a burst has one time. */
function timeText(time: Date): string {
  const ms = time.getTime();
  if (ms !== lastMs) {
    lastTime = time.toISOString();
    lastMs = ms;
  }
  return lastTime;
}

/**
 * One line of a log file: the time (UTC, ISO 8601 with milliseconds), the stream, with a `+` after it where the line
 * goes on, and the text; with a tab between each of them. The text may hold tabs and control characters.
 */
export function formatLogLine(line: WrittenLine): string {
  const text = line.text.includes('\n') ? line.text.replaceAll('\n', ' ') : line.text;
  return `${timeText(line.time)}\t${line.stream}${line.goesOn ? '+' : ''}\t${text}\n`;
}

/** @param text without its end. Gives undefined for what is no line of a log. */
export function parseLogLine(text: string): WrittenLine | undefined {
  const afterTime = text.indexOf('\t');
  const afterStream = text.indexOf('\t', afterTime + 1);
  if (afterTime < 0 || afterStream < 0) return undefined;
  const time = new Date(text.slice(0, afterTime));
  const goesOn = text[afterStream - 1] === '+';
  const stream = text.slice(afterTime + 1, goesOn ? afterStream - 1 : afterStream);
  if (Number.isNaN(time.getTime()) || !isStream(stream)) return undefined;
  return { time, stream, goesOn, text: text.slice(afterStream + 1) };
}

function isStream(text: string): text is LogStream {
  return text === 'stdout' || text === 'stderr' || text === 'engine';
}
