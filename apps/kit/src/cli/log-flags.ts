import { type Command, Option } from 'commander';
import { type LogFormat, type LoggerOptions, type LogLevel, logFormats, logLevels } from '../logger.js';

export interface LogFlags {
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** Adds `--log-level` and `--log-format`. */
export function addLogFlags(command: Command): void {
  command
    .addOption(new Option('--log-level <level>', 'from which level on').choices(logLevels).default('info'))
    .addOption(new Option('--log-format <format>', 'auto: pretty on a terminal').choices(logFormats).default('auto'));
}

export function logOptionsOf({ logLevel, logFormat }: LogFlags): LoggerOptions {
  return { level: logLevel, format: logFormat };
}
