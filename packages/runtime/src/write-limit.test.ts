import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import type { Controller } from './controller.js';
import type { ControllerState } from './controller-state.js';
import { primary, weak } from './inputs.js';
import { exclusive } from './outputs.js';
import type { QueueController } from './queue-controller.js';
import { eventually, harness, settled } from './testdata/harness.js';
import { Cubes, Numbers, Squares } from './testdata/kinds.js';
import { WriteLimit } from './write-limit.js';

describe('WriteLimit', () => {
  it('C8: lets the burst pass at once, then so many a second, first come first served', async () => {
    const clock = new VirtualClock();
    const limit = new WriteLimit(clock, { perSecond: 10, burst: 3 });
    const passed: string[] = [];
    for (let i = 0; i < 6; i++) void limit.pass(undefined).then(() => passed.push(`${i}@${clock.monotonicMs()}`));
    await clock.advance(99);
    expect(passed).toEqual(['0@0', '1@0', '2@0']);
    expect([limit.waiting, clock.timers]).toEqual([3, 1]);
    await clock.advance(201);
    expect(passed.slice(3)).toEqual(['3@100', '4@200', '5@300']);
    expect([limit.waiting, clock.timers]).toEqual([0, 0]);
    await clock.advance(10_000);
    for (let i = 6; i < 10; i++) void limit.pass(undefined).then(() => passed.push(`${i}`));
    await settled();
    expect(passed.slice(6)).toEqual(['6', '7', '8']);
  });

  it('C8: whoever gives up takes nothing, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const limit = new WriteLimit(clock, { perSecond: 1 });
    const leaver = new AbortController();
    const passed: string[] = [];
    void limit.pass(undefined).then(() => passed.push('first'));
    const left = limit.pass(leaver.signal);
    void limit.pass(undefined).then(() => passed.push('third'));
    leaver.abort('enough');
    await expect(left).rejects.toBe('enough');
    await expect(limit.pass(leaver.signal)).rejects.toBe('enough');
    await clock.advance(1000);
    expect(passed).toEqual(['first', 'third']);
    const alone = new AbortController();
    const leaving = limit.pass(alone.signal);
    alone.abort('too');
    await expect(leaving).rejects.toBe('too');
    expect(clock.timers).toBe(0);
  });

  it('C8: keeps its rate in the long run, whatever the clock’s steps', async () => {
    const clock = new VirtualClock();
    const limit = new WriteLimit(clock, { perSecond: 7, burst: 2 });
    let passed = 0;
    for (let i = 0; i < 100; i++) void limit.pass(undefined).then(() => passed++);
    await clock.advance(10_000);
    expect(passed).toBe(2 + 70);
  });

  it('C8: says what cannot be', () => {
    const clock = new VirtualClock();
    for (const perSecond of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new WriteLimit(clock, { perSecond })).toThrow(`writeLimit.perSecond cannot be ${perSecond}`);
    }
    for (const burst of [0, 1.5]) {
      expect(() => new WriteLimit(clock, { perSecond: 1, burst })).toThrow(`writeLimit.burst cannot be ${burst}`);
    }
  });
});

describe('the write limit of a controller', () => {
  const six = async (state: ControllerState, declaration: typeof Squares, note: (count: number) => void) => {
    for (let i = 0; i < 6; i++) {
      await state.list(Numbers.kind);
      await state.modify(declaration.at(`${i}`), (draft) => {
        draft.spec.value = i + 1;
      });
      note(i + 1);
    }
  };

  it('C8: slows its writes, not its reads, and no other controller', async () => {
    const writes = { slow: 0, free: 0 };
    const slow: Controller = {
      name: 'Slow',
      inputs: [weak(Numbers.kind)],
      outputs: [exclusive(Squares)],
      writeLimit: { perSecond: 2, burst: 2 },
      run: ({ state }) => six(state, Squares, (count) => Object.assign(writes, { slow: count })),
    };
    const free: Controller = {
      name: 'Free',
      inputs: [weak(Numbers.kind)],
      outputs: [exclusive(Cubes)],
      run: ({ state }) => six(state, Cubes, (count) => Object.assign(writes, { free: count })),
    };
    const { start, clock, runtime } = harness([slow, free]);
    void start();
    await settled();
    expect(writes).toEqual({ slow: 2, free: 6 });
    await clock.advance(500);
    expect(writes.slow).toBe(3);
    await clock.advance(1500);
    expect(writes.slow).toBe(6);
    expect(runtime.report().controllers[0]?.counts).toMatchObject({ writes: 6, reads: 12 });
  });

  it('C8: is the runtime’s where the controller has none, for queue controllers too, and each has its own', async () => {
    const adding = (name: string): QueueController => ({
      name,
      inputs: [primary(Numbers.kind)],
      concurrency: 10,
      reconcile: (pointer, { state }) => state.addFinalizer(pointer),
    });
    const { state, start, clock, stop, runtime } = harness([adding('A'), adding('B')], {
      writeLimit: { perSecond: 1, burst: 2 },
    });
    const writes = () => runtime.report().controllers.map(({ counts }) => counts.writes);
    for (let i = 0; i < 10; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    void start();
    await settled();
    expect(writes()).toEqual([2, 2]);
    await clock.advance(3000);
    expect(writes()).toEqual([5, 5]);
    await stop();
    expect(clock.timers).toBe(0);
  });

  it('C8, C16: nobody waits for a write that waits for the limit, not to a cached resource either', async () => {
    const holding = (name: string, more: Partial<QueueController> = {}): QueueController => ({
      name,
      inputs: [primary(Numbers.kind)],
      reconcile: (pointer, { state }) => state.addFinalizer(pointer),
      ...more,
    });
    const { state, start, clock } = harness([holding('Slow', { writeLimit: { perSecond: 1 } }), holding('Free')], {
      cached: [Numbers.kind],
    });
    for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    void start();
    const heldBy = async (name: string) =>
      (await state.list(Numbers.kind)).filter(({ metadata }) => metadata.finalizers.includes(name)).length;
    await eventually(async () => expect(await heldBy('Free')).toBe(2));
    expect(await heldBy('Slow')).toBeLessThan(2);
    await clock.advance(10_000);
    await eventually(async () => expect(await heldBy('Slow')).toBe(2));
  });

  it('C8: a write that changes nothing is none', async () => {
    const { start, runtime, state, clock } = harness([
      {
        name: 'Again',
        inputs: [weak(Numbers.kind)],
        outputs: [exclusive(Squares)],
        writeLimit: { perSecond: 1 },
        async run({ state: own }) {
          for (let i = 0; i < 5; i++) await own.modify(Squares.new('a', { value: 1 }), () => undefined);
        },
      },
    ]);
    void start();
    await settled();
    expect(runtime.report().controllers[0]).toMatchObject({ status: 'ended', counts: { writes: 1 } });
    expect((await state.get(Squares.at('a'))).metadata.version).toBe(1n);
    expect(clock.timers).toBe(1); // of the look at the event loop
  });
});
