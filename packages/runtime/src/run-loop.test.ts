import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { failing, recording } from './testdata/controllers.js';
import { eventually, harness, settled } from './testdata/harness.js';
import { Numbers } from './testdata/kinds.js';

describe('hooks', () => {
  it('C5, Q7: a run hook that throws is logged, counted, and restarted after a backoff that grows', async () => {
    let runs = 0;
    const { controller } = recording({
      runHook: () => {
        runs++;
        return failing();
      },
    });
    const { start, clock, runtime, logger } = harness([controller]);
    void start();
    await settled();
    for (const [i, delayMs] of [500, 1000, 2000].entries()) {
      await clock.advance(delayMs - 1);
      expect(runs).toBe(i + 1);
      await clock.advance(1);
      expect(runs).toBe(i + 2);
    }
    expect(runtime.report().controllers[0]).toMatchObject({
      restarts: 3,
      status: 'running',
      lastError: { message: 'no luck' },
    });
    expect(logger.at('error')[0]?.facts).toMatchObject({ controller: 'Recorder', retryInMs: 500 });
  });

  it('C7: that a hook ends because its signal aborted is no failure, whatever the host makes of it', async () => {
    const endings = [
      (signal: AbortSignal) => setTimeout(100_000, undefined, { signal }),
      (signal: AbortSignal) => once(new EventEmitter(), 'never', { signal }),
      (signal: AbortSignal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ];
    for (const wait of endings) {
      const { controller } = recording({
        runHook: async ({ signal }) => {
          await wait(signal);
        },
      });
      const { start, stop, logger } = harness([controller]);
      void start();
      await settled();
      await stop();
      expect(logger.at('error')).toEqual([]);
    }
  });

  it('C5: the backoff begins anew after a minute of health, and when the hook says so', async () => {
    const delays: unknown[] = [];
    let runs = 0;
    const { controller } = recording({
      async runHook({ signal, resetRestartBackoff }) {
        runs++;
        if (runs === 3) await new Promise<void>((resolve) => clock.schedule(60_000, resolve));
        if (runs === 5) resetRestartBackoff();
        signal.throwIfAborted();
        throw new Error('no luck');
      },
    });
    const { start, clock, logger } = harness([controller]);
    void start();
    await clock.advance(70_000);
    for (const { facts } of logger.at('error')) delays.push(facts.retryInMs);
    expect(delays.slice(0, 5)).toEqual([500, 1000, 500, 1000, 500]);
  });

  it('C5: a run hook that returns ends by itself only', async () => {
    const { calls, controller } = recording({ runHook: () => undefined });
    const { state, start, clock, runtime } = harness([controller]);
    void start();
    await clock.advance(10_000);
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(calls).toEqual(['a']));
    expect(runtime.report().controllers[0]).toMatchObject({ restarts: 0, status: 'running' });
  });
});
