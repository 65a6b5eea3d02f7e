import type { Logger } from '../logger.js';

export interface LogLine {
  readonly level: 'warn' | 'error' | 'info';
  readonly fields: object;
  readonly message: string;
}

/** A logger that keeps what it is told. */
export function recordingLogger() {
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
    for (const wake of waiting) wake();
    waiting.clear();
  };
  return {
    lines,
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    /** Resolves when there are so many lines. */
    async written(count: number): Promise<void> {
      while (lines.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    },
  } satisfies Logger & Record<string, unknown>;
}
