import { VirtualClock } from '@cosi-ts/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemGroup, QueueItem } from './queue-item.js';
import { WorkQueue } from './work-queue.js';

type Queue = WorkQueue<string, number>;
type Item = QueueItem<string, number>;

function setup() {
  const clock = new VirtualClock();
  let woken = 0;
  const queue: Queue = new WorkQueue(clock, () => woken++);
  return { clock, queue, group: queue.group('work'), woken: () => woken };
}

function taken(queue: Queue): Item {
  const item = queue.take();
  if (item === undefined) throw new Error('nothing to take');
  return item;
}

function drain(queue: Queue): string[] {
  const ids: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) {
    ids.push(item.id);
    queue.done(item);
  }
  return ids;
}

describe('WorkQueue', () => {
  it('Q2: holds an item once, first in, first out, with the newest of what is known', () => {
    const { queue, group } = setup();
    queue.put(group, 'a', 1);
    queue.put(group, 'b', 1);
    queue.put(group, 'a', 2);
    expect(queue.ready).toBe(2);
    const item = taken(queue);
    expect([item.id, item.value]).toEqual(['a', 2]);
    expect(taken(queue).id).toBe('b');
    expect(queue.take()).toBeUndefined();
    expect(queue.running).toBe(2);
  });

  it('Q2: gives an item that is worked on to nobody else, and once more afterwards when it was asked for', () => {
    const { queue, group } = setup();
    queue.put(group, 'a', 1);
    const item = taken(queue);
    queue.put(group, 'a', 2);
    queue.put(group, 'a', 3);
    expect(queue.take()).toBeUndefined();
    queue.done(item);
    const again = taken(queue);
    expect([again.id, again.value]).toEqual(['a', 3]);
    queue.done(again);
    expect(queue.take()).toBeUndefined();
    expect(group.items.size).toBe(0);
  });

  it('Q2: tells items of the same id in two groups apart', () => {
    const { queue, group } = setup();
    queue.put(group, 'a', 1);
    queue.put(queue.group('other work'), 'a', 2);
    expect([taken(queue).group.job, taken(queue).group.job]).toEqual(['work', 'other work']);
  });

  it('Q5: gives a failed item again after its delay, and counts failures in a row', async () => {
    const { queue, group, clock, woken } = setup();
    queue.put(group, 'a', 1);
    queue.fail(taken(queue), 100);
    await clock.advance(99);
    expect(queue.take()).toBeUndefined();
    expect(queue.waiting).toBe(1);
    const before = woken();
    await clock.advance(1);
    expect(woken()).toBe(before + 1);
    const item = taken(queue);
    expect(item.failures).toBe(1);
    queue.fail(item, 100);
    await clock.advance(100);
    expect(taken(queue).failures).toBe(2);
    queue.done(item);
    queue.put(group, 'a', 2);
    expect(taken(queue).failures).toBe(0);
  });

  it('Q5: gives a waiting item at once when it is asked for, and keeps its failures', async () => {
    const { queue, group, clock } = setup();
    queue.put(group, 'a', 1);
    queue.fail(taken(queue), 100);
    queue.put(group, 'a', 2);
    const item = taken(queue);
    expect([item.value, item.failures]).toEqual([2, 1]);
    queue.done(item);
    await clock.advance(1000);
    expect(queue.take()).toBeUndefined();
    expect(clock.timers).toBe(0);
  });

  it('Q5: gives an item at once that was asked for during work that failed or wants a requeue', () => {
    const { queue, group } = setup();
    for (const end of ['fail', 'requeue'] as const) {
      queue.put(group, 'a', 1);
      const item = taken(queue);
      queue.put(group, 'a', 2);
      queue[end](item, 1000);
      expect(queue.waiting).toBe(0);
      queue.done(taken(queue));
    }
  });

  it('C17: refuses delays that are no numbers, and takes negative ones as now', async () => {
    const { queue, group, clock } = setup();
    queue.put(group, 'a', 1);
    const item = taken(queue);
    expect(() => queue.requeue(item, Number.NaN)).toThrow(RangeError);
    expect(() => queue.fail(item, Number.POSITIVE_INFINITY)).toThrow(RangeError);
    queue.requeue(item, -5);
    await clock.advance(0);
    expect(taken(queue)).toBe(item);
    queue.requeue(item, 2 ** 32);
    await clock.advance(2 ** 32 - 1);
    expect(queue.take()).toBeUndefined();
    await clock.advance(1);
    expect(queue.take()).toBe(item);
  });

  it('Q8: serves live items before the backlog, and one of the backlog after eight of them', () => {
    const { queue, group } = setup();
    for (let i = 0; i < 3; i++) queue.put(group, `old ${i}`, i, true);
    for (let i = 0; i < 20; i++) queue.put(group, `new ${i}`, i);
    const order = drain(queue);
    expect(order.slice(0, 8)).toEqual([...'01234567'].map((i) => `new ${i}`));
    expect([order[8], order[17]]).toEqual(['old 0', 'old 1']);
    expect(order).toHaveLength(23);
  });

  it('Q8: a change moves an item out of the backlog', () => {
    const { queue, group } = setup();
    queue.put(group, 'a', 1, true);
    queue.put(group, 'b', 1, true);
    queue.put(group, 'b', 2);
    queue.put(group, 'b', 3, true);
    expect(drain(queue)).toEqual(['b', 'a']);
  });

  it('lets the host have its turns while very many are due at the same time', async () => {
    const { queue, group, clock } = setup();
    const count = 10_000;
    for (let i = 0; i < count; i++) queue.put(group, `${i}`, i);
    for (let i = 0; i < count; i++) queue.fail(taken(queue), 1000);
    const ready: number[] = [];
    clock.schedule(1000, () => ready.push(queue.ready));
    await clock.advance(1000);
    expect(ready[0]).toBeGreaterThan(0);
    expect(ready[0]).toBeLessThan(count);
    expect(queue.ready).toBe(count);
    expect(drain(queue)).toEqual(Array.from({ length: count }, (_, i) => `${i}`));
  });

  it('has one timer for all that wait, and none after closing', async () => {
    const { queue, group, clock } = setup();
    for (let i = 0; i < 100; i++) queue.put(group, `${i}`, i);
    for (let i = 0; i < 100; i++) queue.fail(taken(queue), 1000 - i);
    expect(clock.timers).toBe(1);
    await clock.advance(950);
    expect(queue.ready).toBe(50);
    expect(clock.timers).toBe(1);
    queue.close();
    expect(clock.timers).toBe(0);
    queue.put(group, 'late', 1);
    expect(queue.ready).toBe(50);
  });

  it('forgets a dropped group, whose running item it never gives twice when the group is revived', () => {
    const { queue, group } = setup();
    for (const id of ['running', 'waiting', 'ready']) queue.put(group, id, 1);
    const running = taken(queue);
    queue.fail(taken(queue), 1000);
    queue.drop(group);
    queue.put(group, 'ignored', 1);
    expect([queue.ready, queue.waiting, queue.running]).toEqual([0, 0, 1]);
    queue.revive(group);
    queue.put(group, 'running', 2);
    expect(queue.take()).toBeUndefined();
    queue.done(running);
    expect(taken(queue)).toBe(running);
  });

  it('Q2: behaves as its model does, whatever comes', async () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({ do: fc.constant('put' as const), id, backlog: fc.boolean() }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constantFrom('done' as const, 'fail' as const, 'requeue' as const), id, delayMs: fc.nat(30) }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.nat(20) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue, group, clock } = setup();
        const model = new Model();
        const running = new Map<string, Item>();
        for (const [value, each] of steps.entries()) {
          if (each.do === 'put') {
            queue.put(group, each.id, value, each.backlog);
            model.put(each.id, value);
          } else if (each.do === 'take') {
            const item = queue.take();
            expect(item === undefined).toBe(model.ready.size === 0);
            if (item !== undefined) {
              model.take(item.id, item.value, item.failures);
              running.set(item.id, item);
            }
          } else if (each.do === 'advance') {
            await clock.advance(each.ms);
            model.advance(clock.monotonicMs());
          } else {
            const item = running.get(each.id);
            if (item === undefined) continue;
            running.delete(each.id);
            if (each.do === 'done') queue.done(item);
            else queue[each.do](item, each.delayMs);
            model.end(each.do, each.id, clock.monotonicMs() + each.delayMs);
          }
          expect([queue.ready, queue.waiting, queue.running]).toEqual([
            model.ready.size,
            model.waiting.size,
            model.running.size,
          ]);
        }
        expect(group.items.size).toBe(model.ready.size + model.waiting.size + model.running.size);
        expect(clock.timers).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('bears a hundred thousand waiting items, each asked for once more', () => {
    const { queue, group } = setup();
    const count = 100_000;
    const fill = (of: ItemGroup<string, number>) => {
      for (let i = 0; i < count; i++) queue.put(of, `${i}`, i);
    };
    fill(group);
    for (let i = 0; i < count; i++) queue.fail(taken(queue), (i * 7919) % 60_000);
    expect(queue.waiting).toBe(count);
    fill(group);
    expect(drain(queue)).toHaveLength(count);
  });
});

/** What is known of each item; the order in which they are taken is the business of other tests. */
class Model {
  readonly ready = new Map<string, number>();
  readonly waiting = new Map<string, { dueMs: number; value: number }>();
  readonly running = new Map<string, { again: boolean; value: number }>();
  readonly failures = new Map<string, number>();

  put(id: string, value: number): void {
    const running = this.running.get(id);
    if (running !== undefined) {
      running.again = true;
      running.value = value;
      return;
    }
    this.waiting.delete(id);
    this.ready.set(id, value);
  }

  take(id: string, value: number, failures: number): void {
    expect(this.ready.get(id)).toBe(value);
    expect(failures).toBe(this.failures.get(id) ?? 0);
    this.ready.delete(id);
    this.running.set(id, { again: false, value });
  }

  end(how: 'done' | 'fail' | 'requeue', id: string, dueMs: number): void {
    const { again, value } = this.running.get(id) as { again: boolean; value: number };
    this.running.delete(id);
    if (how === 'fail') this.failures.set(id, (this.failures.get(id) ?? 0) + 1);
    else this.failures.delete(id);
    if (again) this.ready.set(id, value);
    else if (how !== 'done') this.waiting.set(id, { dueMs, value });
  }

  advance(nowMs: number): void {
    for (const [id, { dueMs, value }] of this.waiting) {
      if (dueMs > nowMs) continue;
      this.waiting.delete(id);
      this.ready.set(id, value);
    }
  }
}
