import { describe, expect, it } from 'vitest';
import { consoleLogger, type LogLevel } from './logger.js';

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
