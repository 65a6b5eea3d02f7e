import { describe, expect, it } from 'vitest';
import type { WaitAction } from '../definition/definition.js';
import { template } from '../testing/definitions.js';
import { afterChild, afterNoSignal, afterSignal, sleepMs, wakeMs } from './waiting.js';

const plain: WaitAction = { kind: 'wait', signal: template('go'), approval: undefined, otherwise: undefined };
const approval: WaitAction = { ...plain, approval: template('Ship it?') };
const signal = (payload: string) => ({ name: 'go', at: '', payload });

describe('waiting', () => {
  it.each([
    [plain, '', { state: 'succeeded', outputs: { value: null } }],
    [plain, '7', { state: 'succeeded', outputs: { value: 7 } }],
    [plain, '[1]', { state: 'succeeded', outputs: { value: [1] } }],
    [plain, '{"a":1}', { state: 'succeeded', outputs: { a: 1 } }],
    [plain, '{"approved":false}', { state: 'succeeded', outputs: { approved: false } }],
    [approval, '{"approved":true}', { state: 'succeeded', outputs: { approved: true } }],
    [
      approval,
      '{"approved":false,"by":"ann","comment":"not today"}',
      { state: 'failed', failure: { reason: 'rejected', message: 'was refused by ann: not today' } },
    ],
    [approval, '{"approved":false}', { state: 'failed', failure: { reason: 'rejected', message: 'was refused' } }],
  ] as const)('E20: %j with the payload %s', (action, payload, done) => {
    expect(afterSignal(action, signal(payload))).toEqual(done);
  });

  it('E20: a payload that is no JSON fails', () => {
    expect(afterSignal(plain, signal('{'))).toMatchObject({ state: 'failed', failure: { reason: 'rejected' } });
  });

  it('E16: without a signal it fails, or has the outputs for that case', () => {
    expect(afterNoSignal(plain, 'go')).toMatchObject({ state: 'failed', failure: { reason: 'timeout' } });
    expect(afterNoSignal({ ...plain, otherwise: { a: 1 } }, 'go')).toEqual({ state: 'succeeded', outputs: { a: 1 } });
  });

  it.each([
    [1.5, 1500],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
  ])('E21: %j are %d ms', (value, ms) => {
    expect(sleepMs(value)).toBe(ms);
  });

  it.each(['soon', -1, null, {}, '5'])('E21: %j is no duration', (value) => {
    expect(() => sleepMs(value)).toThrow('is no duration');
  });

  it('E21: reads times', () => {
    expect(wakeMs('1970-01-01T00:00:01Z')).toBe(1000);
    for (const wrong of ['tomorrow', 5, null]) expect(() => wakeMs(wrong)).toThrow('is no time');
  });

  it.each([
    ['succeeded', { state: 'succeeded', outputs: { a: 1 } }],
    ['failed', { state: 'failed', failure: { reason: 'error', message: 'the run r failed: why' } }],
    ['cancelled', { state: 'failed', failure: { reason: 'cancelled', message: 'the run r was cancelled' } }],
  ] as const)('a nested run that has %s', (state, done) => {
    const fact = { step: 's', index: -1, state, retries: 0, message: 'why', outputs: '{"a":1}' };
    expect(afterChild({ ...fact, message: state === 'cancelled' ? '' : 'why' }, 'r')).toEqual(done);
  });

  it('E23: a nested run that was destroyed', () => {
    const fact = { step: 's', index: -1, state: 'cancelled', retries: 0, outputs: '' } as const;
    const failure = { reason: 'cancelled', message: 'the run r was destroyed' };
    expect(afterChild({ ...fact, message: 'was destroyed' }, 'r')).toEqual({ state: 'failed', failure });
  });
});
