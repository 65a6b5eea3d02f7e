import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../testdata/manual-clock.js';
import { scheduleDeadline, takeDeadlineMs } from './deadline.js';

describe('takeDeadlineMs', () => {
  it.each([
    ['grpc-timeout', '5m', 5],
    ['grpc-timeout', '2S', 2000],
    ['grpc-timeout', '1H', 3_600_000],
    ['grpc-timeout', '3M', 180_000],
    ['grpc-timeout', '1500u', 1.5],
    ['grpc-timeout', '99999999H', 99_999_999 * 3_600_000],
    ['connect-timeout-ms', '9999999999', 9_999_999_999],
  ])('N5: %s: %s', (name, value, ms) => {
    const headers = new Headers({ [name]: value });
    expect(takeDeadlineMs(headers)).toBeCloseTo(ms);
    expect(headers.has(name)).toBe(false);
  });

  it('N5: what is no deadline stays for the library to refuse', () => {
    for (const value of ['5', 'm', '123456789S', '-1S', '1x']) {
      const headers = new Headers({ 'grpc-timeout': value });
      expect(takeDeadlineMs(headers)).toBeUndefined();
      expect(headers.get('grpc-timeout')).toBe(value);
    }
    expect(takeDeadlineMs(new Headers())).toBeUndefined();
  });
});

describe('scheduleDeadline', () => {
  it('N5: expires when the time has passed, unless it is cancelled', () => {
    const clock = new ManualClock();
    const abort = vi.fn();
    scheduleDeadline(clock, 1000, abort);
    clock.advance(999);
    expect(abort).not.toHaveBeenCalled();
    clock.advance(1);
    const reason = abort.mock.calls[0]?.[0] as ConnectError;
    expect([reason instanceof ConnectError, reason.code]).toEqual([true, Code.DeadlineExceeded]);
    scheduleDeadline(clock, 1000, abort)();
    expect(clock.pending).toBe(0);
  });
});
