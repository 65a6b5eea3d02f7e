import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { consoleLogger, guardedLogger, type Logger, type LogLevel } from './logger.js';

describe('consoleLogger', () => {
  it('writes records of its level and above, with the facts of its ancestors', () => {
    const written: unknown[][] = [];
    const at =
      (level: LogLevel) =>
      (...given: unknown[]) =>
        void written.push([level, ...given]);
    const to = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
    const logger = consoleLogger('warn', to).child({ controller: 'A' }).child({ resource: 'r' });
    const err = new Error('no luck');
    logger.debug({}, 'too fine');
    logger.info({}, 'too fine');
    logger.warn({ retryInMs: 1 }, 'careful');
    logger.error({ err }, 'failed');
    expect(written).toEqual([
      ['warn', 'careful', { controller: 'A', resource: 'r', retryInMs: 1 }],
      ['error', 'failed', { controller: 'A', resource: 'r', err }],
    ]);
  });
});

describe('guardedLogger', () => {
  it('C14: a logger that throws stops nothing, and what it lost is on the console', () => {
    const lost: unknown[][] = [];
    const spy = vi.spyOn(console, 'error').mockImplementation((...given) => void lost.push(given));
    onTestFinished(() => spy.mockRestore());
    const broken = () => {
      throw new Error('the disk is full');
    };
    const logger: Logger = { debug: broken, info: broken, warn: broken, error: broken, child: broken };
    guardedLogger(logger).child({ controller: 'A' }).error({ resource: 'r' }, 'failed');
    expect(lost.map(([message]) => message)).toEqual(['a logger has no child', 'a logger failed on a record']);
    expect(lost[1]?.slice(2)).toEqual([{ resource: 'r' }, 'failed']);
  });
});
