import { pino } from 'pino';
import { prettyLine } from './log-format.js';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ['auto', 'pretty', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LoggerOptions {
  readonly level: LogLevel;
  /** `auto`: short lines on a terminal, JSON elsewhere. */
  readonly format: LogFormat;
}

/** The app's log, on standard output. Written at once, so that the last words of a process are not lost. */
export function openLogger({ level, format }: LoggerOptions, out: NodeJS.WriteStream = process.stdout): pino.Logger {
  const isTerminal = out.isTTY === true;
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const withColor = isTerminal && process.env.NO_COLOR === undefined;
  const write = (line: string) => void out.write(isPretty ? prettyLine(line, withColor) : line);
  return pino({ level, base: null }, { write });
}
