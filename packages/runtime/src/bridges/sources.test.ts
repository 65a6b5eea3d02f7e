import { EventEmitter, once } from 'node:events';
import { watch, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isUnavailable } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RecordingLogger, settled, steadyRandom } from '../testdata/harness.js';
import { Numbers } from '../testdata/kinds.js';
import { Bridge } from './bridge.js';
import type { BridgeSource } from './bridge-source.js';
import { toItems } from './bridge-target.js';
import { fileChanges, type WatchFile } from './file-changes.js';
import { fromCallback } from './from-callback.js';
import { fromEmitter } from './from-emitter.js';
import { fromIterable } from './from-iterable.js';
import { interval, timer } from './interval.js';
import { Webhook } from './webhook.js';

/** A bridge from the source that notes what it gives, running. */
function bridged<T>(source: BridgeSource<T>, concerned: (item: T) => void = () => undefined) {
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const items: T[] = [];
  const target = toItems({ queue: () => undefined }, (item: T) => {
    concerned(item);
    items.push(item);
    return Numbers.at('a');
  });
  const bridge = new Bridge('bridge', source, target, { clock, logger, random: steadyRandom });
  const running = bridge.run();
  onTestFinished(() => bridge.close());
  return { bridge, clock, logger, items, running };
}

describe('interval and timer', () => {
  it('C15: an interval gives an event after each pause, and holds no more than one timer', async () => {
    const { bridge, clock, items } = bridged(interval(1000));
    await clock.advance(999);
    expect(items).toHaveLength(0);
    await clock.advance(1);
    expect(items).toHaveLength(1);
    await clock.advance(4000);
    expect(items).toHaveLength(5);
    expect(clock.timers).toBe(1);
    await bridge.close();
    expect(clock.timers).toBe(0);
  });

  it('C15: the pauses of an interval differ by its jitter', async () => {
    const clock = new VirtualClock();
    const floats = [0, 0.999, 0.5];
    const atMs: number[] = [];
    const random = { ...steadyRandom, float: () => floats.shift() ?? 0.5 };
    const target = toItems({ queue: () => undefined }, () => void atMs.push(clock.monotonicMs()));
    const bridge = new Bridge('ticks', interval(1000, { jitter: 0.5 }), target, { clock, random });
    void bridge.run();
    await clock.advance(4000);
    await bridge.close();
    expect(atMs.map(Math.round)).toEqual([500, 1999, 2999, 3999]);
  });

  it('C15, C17: times that cannot be are refused, and a timer of a year is one', async () => {
    expect(() => interval(0)).toThrow(RangeError);
    expect(() => interval(Number.NaN)).toThrow(RangeError);
    expect(() => interval(10, { jitter: 1 })).toThrow(RangeError);
    expect(() => timer(Number.POSITIVE_INFINITY)).toThrow(RangeError);
    const yearMs = 365 * 24 * 3_600_000;
    const { clock, items, running } = bridged(timer(yearMs));
    await clock.advance(yearMs - 1);
    expect(items).toHaveLength(0);
    await clock.advance(1);
    expect(items).toHaveLength(1);
    await running;
  });
});

describe('fromEmitter', () => {
  it('C15: gives what an emitter emits, and leaves no listener', async () => {
    const emitter = new EventEmitter();
    const { bridge, items } = bridged(fromEmitter<string>(emitter, 'moved'));
    emitter.emit('moved', 'a');
    emitter.emit('other', 'b');
    emitter.emit('moved', 'c');
    await settled();
    expect(items).toEqual(['a', 'c']);
    await bridge.close();
    expect(emitter.listenerCount('moved')).toBe(0);
  });

  it('C15: a function that throws does not throw into the emitter', async () => {
    const emitter = new EventEmitter();
    const { bridge } = bridged(fromEmitter<string>(emitter, 'moved'), () => {
      throw new Error('cannot be read');
    });
    expect(() => emitter.emit('moved', 'a')).not.toThrow();
    await settled();
    expect(bridge.report()).toMatchObject({ status: 'live', failed: 1 });
  });

  it('C15: an error event has it listen again, when it is named', async () => {
    const emitter = new EventEmitter();
    const { bridge, clock, items } = bridged(fromEmitter<string>(emitter, 'moved', { errorEvent: 'error' }));
    emitter.emit('error', new Error('broken'));
    await settled();
    expect(bridge.report()).toMatchObject({ status: 'degraded', lastError: { message: 'broken' } });
    expect(emitter.listenerCount('moved') + emitter.listenerCount('error')).toBe(0);
    await clock.advance(500);
    emitter.emit('moved', 'a');
    await settled();
    expect(items).toEqual(['a']);
  });

  it('C15: takes the platform’s event targets', async () => {
    const target = new EventTarget();
    const { bridge, items } = bridged(fromEmitter<Event>(target, 'moved'));
    const event = new Event('moved');
    target.dispatchEvent(event);
    await settled();
    expect(items).toEqual([event]);
    await bridge.close();
    target.dispatchEvent(new Event('moved'));
    await settled();
    expect(items).toHaveLength(1);
  });
});

describe('fromIterable', () => {
  it('C15: opens a stream again when it ends or fails', async () => {
    const opened: string[] = [];
    const { bridge, clock, items } = bridged(
      fromIterable<string>(async function* () {
        opened.push('open');
        yield `item ${opened.length}`;
        if (opened.length === 2) throw new Error('broken');
      }),
    );
    await settled();
    expect(items).toEqual(['item 1']);
    expect(bridge.report()).toMatchObject({ status: 'degraded', lastError: { message: 'the stream ended' } });
    await clock.advance(500);
    expect(items).toEqual(['item 1', 'item 2']);
    expect(bridge.report()).toMatchObject({ status: 'degraded', lastError: { message: 'broken' } });
    await clock.advance(1000);
    expect(items).toEqual(['item 1', 'item 2', 'item 3']);
  });

  it('C15: the end of a stream that can be gone through once is the end', async () => {
    async function* two() {
      yield 1;
      yield 2;
    }
    const { bridge, items, running } = bridged(fromIterable(two()));
    await running;
    expect(items).toEqual([1, 2]);
    expect(bridge.report()).toMatchObject({ status: 'ended', restarts: 0 });
  });

  it('C15: leaves the stream at the end, also one that waits for something', async () => {
    const emitter = new EventEmitter();
    let left = false;
    async function* waiting() {
      try {
        yield 'a';
        await once(emitter, 'never');
      } finally {
        left = true;
      }
    }
    const { bridge, items, clock } = bridged(fromIterable(waiting()));
    await settled();
    expect(items).toEqual(['a']);
    await bridge.close();
    expect(clock.timers).toBe(0);
    emitter.emit('never');
    await settled();
    expect(left).toBe(true);
  });

  it('C15: gives the stream its signal', async () => {
    let given: AbortSignal | undefined;
    const { bridge } = bridged(
      fromIterable<string>(async function* (signal) {
        given = signal;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      }),
    );
    await settled();
    await bridge.close();
    expect(given?.aborted).toBe(true);
  });
});

describe('fromCallback', () => {
  it('C15: stops what was opened while the end came', async () => {
    let opened: (() => void) | undefined;
    let stopped = 0;
    const source = fromCallback<string>(async () => {
      await new Promise<void>((resolve) => {
        opened = resolve;
      });
      return () => void stopped++;
    });
    const { bridge } = bridged(source);
    await settled();
    const closed = bridge.close();
    opened?.();
    await closed;
    expect(stopped).toBe(1);
  });

  it('C15: what opening throws is a break like others', async () => {
    let tries = 0;
    const source = fromCallback<string>((emit) => {
      if (++tries < 3) throw new Error('not there yet');
      emit('a');
      return () => undefined;
    });
    const { bridge, clock, items } = bridged(source);
    await clock.advance(1500);
    expect([tries, items]).toEqual([3, ['a']]);
    expect(bridge.report()).toMatchObject({ status: 'live', restarts: 2 });
  });
});

describe('Webhook', () => {
  it('C15: a request is answered when what it concerns is queued, or by what is wrong with it', async () => {
    const hook = new Webhook<string>();
    await expect(hook.handle('early')).rejects.toSatisfy(isUnavailable);
    const { bridge, items, logger } = bridged(hook, (request) => {
      if (request === 'bad') throw new TypeError('not a lamp');
    });
    await hook.handle('a');
    expect(items).toEqual(['a']);
    await expect(hook.handle('bad')).rejects.toThrow('not a lamp');
    expect(logger.at('error')).toEqual([]);
    expect(bridge.report()).toMatchObject({ received: 2, failed: 1, woken: 1 });
    await bridge.close();
    await expect(hook.handle('late')).rejects.toSatisfy(isUnavailable);
  });

  it('C15: serves one bridge at a time', async () => {
    const hook = new Webhook<string>();
    const first = bridged(hook);
    const second = bridged(hook);
    await settled();
    expect(second.bridge.report()).toMatchObject({ status: 'degraded' });
    await first.bridge.close();
    await second.clock.advance(500);
    await hook.handle('a');
    expect(second.items).toEqual(['a']);
  });
});

describe('fileChanges', () => {
  it('C15: watches files through what the host has for that', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bridge-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const handles = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    const before = handles();
    const watchFolder: WatchFile = (path, onChange, onError) => {
      const watcher = watch(path, onChange).on('error', onError);
      return () => watcher.close();
    };
    const { bridge, items } = bridged(fileChanges(folder, watchFolder));
    await settled();
    expect(handles()).toBe(before + 1);
    writeFileSync(join(folder, 'certificate.pem'), 'new');
    await vi.waitFor(() => expect(items[0]).toBe(folder));
    await bridge.close();
    await settled();
    expect(handles()).toBe(before);
  });
});
