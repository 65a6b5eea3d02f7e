import { RecordingLogger } from '@cosi-ts/testing';
import { expect, it } from 'vitest';
import { withoutHolds } from './local-logger.js';

it('leaves out that the event loop was held up, and nothing else', () => {
  const all = new RecordingLogger();
  const logger = withoutHolds(all).child({ controller: 'RunController' });
  logger.warn({ heldMs: 300 }, 'the event loop was held up');
  logger.warn({ id: 'x' }, 'something else');
  logger.error({ heldMs: 300 }, 'an error');
  logger.info({}, 'told');
  expect(all.records.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'warn something else',
    'error an error',
    'info told',
  ]);
});
