import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { mapped, primary, weak } from './inputs.js';
import { sameId } from './mappers.js';
import { requeueAfter, SkipError } from './requeue.js';
import { AskingMeter } from './testdata/asking-meter.js';
import { eventually, harness } from './testdata/harness.js';
import { Factors, Numbers } from './testdata/kinds.js';

class RecordingTracer {
  readonly ended: Attributes[] = [];
  readonly open = new Set<object>();
  readonly tracer = {
    startSpan: (name: string, options: { attributes: Attributes }) => {
      const attributes: Attributes = { name, ...options.attributes };
      const span = {
        isRecording: () => true,
        setAttribute: (key: string, value: string) => {
          attributes[key] = value;
        },
        recordException: ({ message }: Error) => {
          attributes.exception = message;
        },
        setStatus: () => undefined,
        end: () => {
          expect(this.open.delete(span)).toBe(true);
          this.ended.push(attributes);
        },
      };
      this.open.add(span);
      return span as unknown as Span;
    },
  } as unknown as Tracer;
}

describe('metrics', () => {
  it('C12: of queue controllers what is done, counted, timed, and queued', async () => {
    const asking = new AskingMeter();
    const { state, runtime, clock, start, stop } = harness(
      [
        {
          name: 'Q',
          inputs: [primary(Numbers.kind), mapped(Factors.kind, sameId(Numbers.kind))],
          async reconcile({ id }, { state: own, clock: time, attempt }) {
            await own.find(Numbers.at(id));
            if (id === 'skipped') throw new SkipError('no use');
            if (id === 'later') return requeueAfter(1e6);
            if (id === 'slow') return new Promise((resolve) => void time.schedule(2_000, () => resolve(undefined)));
            if (id === 'failing' && attempt === 1) throw new Error('no');
          },
        },
      ],
      { meter: asking.meter, cached: [Numbers.kind] },
    );
    expect(asking.callbacks.size).toBe(0);
    void start();
    for (const id of ['skipped', 'later', 'slow']) await state.create(Numbers.new(id, { value: 1 }));
    await state.create(Factors.new('failing', { factor: 1 }));
    await eventually(() => expect(runtime.report().controllers[0]?.inProgress).toBe(1));
    await clock.advance(2_000);
    await eventually(() => expect(runtime.report().controllers[0]?.counts.failed).toBe(1));
    expect(asking.ask()).toMatchObject({
      'cosi.controller.processed Q': 4,
      'cosi.controller.crashes Q': 1,
      'cosi.controller.skips Q': 1,
      'cosi.controller.requeues Q': 1,
      'cosi.controller.mapped_in Q': 1,
      'cosi.controller.mapped_out Q': 1,
      'cosi.controller.writes Q': 0,
      'cosi.controller.reconcile.busy Q': 2,
      'cosi.controller.map.busy Q': 0,
      'cosi.controller.queue.length Q ready': 0,
      'cosi.controller.queue.length Q waiting': 2,
      'cosi.controller.queue.length Q running': 0,
      'cosi.runtime.live controller Q': 1,
      [`cosi.runtime.live cache test/${Numbers.type}`]: 1,
      [`cosi.runtime.cached_resources test ${Numbers.type}`]: 3,
    });
    expect(asking.ask()).not.toHaveProperty('cosi.controller.wakeups Q');
    await stop();
    expect(asking.callbacks.size).toBe(0);
  });

  it('C12: of controllers without a queue wakeups, crashes, reads and writes', async () => {
    const asking = new AskingMeter();
    const { state, runtime, clock, start } = harness(
      [
        {
          name: 'C',
          inputs: [weak(Numbers.kind)],
          async run({ events, state: own }) {
            for await (const { attempt } of events) {
              await own.list(Numbers.kind);
              if (attempt === 1) throw new Error('no');
            }
          },
        },
      ],
      { meter: asking.meter },
    );
    void start();
    await eventually(() => expect(runtime.report().controllers[0]?.counts.failed).toBe(1));
    await clock.advance(1_000);
    await eventually(() => expect(asking.ask()['cosi.controller.wakeups C']).toBe(2));
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() =>
      expect(asking.ask()).toMatchObject({
        'cosi.controller.wakeups C': 3,
        'cosi.controller.crashes C': 1,
        'cosi.controller.restarts C': 1,
        'cosi.controller.reads C': 3,
        'cosi.controller.writes C': 0,
      }),
    );
  });
});

describe('traces', () => {
  it('C12: one span for each reconcile, with controller, resource, outcome and attempt', async () => {
    const recording = new RecordingTracer();
    const { state, clock, start, stop } = harness(
      [
        {
          name: 'Q',
          inputs: [primary(Numbers.kind), mapped(Factors.kind, sameId(Numbers.kind))],
          reconcileDeadlineMs: 60_000,
          async reconcile({ id }, { attempt, signal }) {
            if (id === 'skipped') throw new SkipError('no use');
            if (id === 'later') return requeueAfter(1e9);
            if (id === 'failing' && attempt === 1) throw new Error('no');
            if (id === 'slow') await new Promise((_, reject) => signal.addEventListener('abort', reject));
          },
        },
      ],
      { tracer: recording.tracer },
    );
    void start();
    await state.create(Factors.new('none', { factor: 1 }));
    for (const id of ['skipped', 'later', 'failing']) await state.create(Numbers.new(id, { value: 1 }));
    await eventually(() => expect(recording.ended).toHaveLength(4));
    await clock.advance(1_000);
    await eventually(() => expect(recording.ended).toHaveLength(5));
    await state.create(Numbers.new('slow', { value: 1 }));
    await eventually(() => expect(recording.open.size).toBe(1));
    await clock.advance(60_000);
    await stop();
    const common = { name: 'reconcile', 'cosi.controller': 'Q' };
    const span = (id: string, outcome: string, attempt = 1) => ({
      ...common,
      'cosi.resource': expect.stringContaining(id),
      'cosi.outcome': outcome,
      'cosi.attempt': attempt,
    });
    const byOutcome = new Set(recording.ended.map((each) => each['cosi.outcome']));
    expect(byOutcome).toEqual(new Set(['done', 'requeued', 'skipped', 'failed', 'timed out']));
    expect(recording.ended).toEqual(
      expect.arrayContaining([
        span('none', 'done'),
        span('skipped', 'skipped'),
        span('later', 'requeued'),
        { ...span('failing', 'failed'), exception: 'no' },
        span('failing', 'done', 2),
        { ...span('slow', 'timed out'), exception: expect.any(String) },
      ]),
    );
    expect(recording.open.size).toBe(0);
  });

  it('C12: one span for each event of a controller without a queue', async () => {
    const recording = new RecordingTracer();
    const { state, clock, start, stop } = harness(
      [
        {
          name: 'C',
          inputs: [weak(Numbers.kind)],
          async run({ events }) {
            for await (const { attempt } of events) if (attempt === 1) throw new Error('no');
          },
        },
      ],
      { tracer: recording.tracer },
    );
    void start();
    await eventually(() => expect(recording.ended).toHaveLength(1));
    await clock.advance(1_000);
    await eventually(() => expect(recording.ended).toHaveLength(2));
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(recording.ended).toHaveLength(3));
    await stop();
    expect(recording.ended).toMatchObject([
      { 'cosi.controller': 'C', 'cosi.outcome': 'failed', 'cosi.attempt': 1, exception: 'no' },
      { 'cosi.controller': 'C', 'cosi.outcome': 'done', 'cosi.attempt': 2 },
      { 'cosi.controller': 'C', 'cosi.outcome': 'done' },
    ]);
    expect(recording.open.size).toBe(0);
  });
});
