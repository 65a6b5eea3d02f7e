import assert from 'node:assert/strict';
import { eventually, inTime } from '../in-time.js';
import { orders } from './resources.js';
import { type Side, type SideError, textOf } from './side.js';
import type { Scenario } from './stage.js';

const a = { ...orders, id: 'a' };

async function isGone(side: Side): Promise<void> {
  await assert.rejects(side.get(a), (error: SideError) => error.is.includes('not-found'));
}

export const lifeScenarios: readonly Scenario[] = [
  [
    'a resource is torn down by one side and let go by the other',
    async (stage) => {
      const { first, second } = stage;
      await first.create({ ...a, spec: {} });
      await second.addFinalizer(a, 'second');
      const reader = await stage.watch(second, a);
      assert.equal(textOf(await reader.next()), 'created a@2');
      assert.equal(await first.teardown(a), false);
      const torn = await reader.next();
      assert.deepEqual([torn.resource?.phase, torn.resource?.finalizers], ['tearingDown', ['second']]);
      assert.equal(await second.teardown(a), false);
      await second.removeFinalizer(a, 'second');
      assert.equal(await first.teardown(a), true);
      await first.destroy(a);
      assert.deepEqual((await reader.take(2)).map(textOf), ['updated a@4', 'destroyed a@4']);
      await isGone(second);
    },
  ],
  [
    'teardown and destruction by one side waits for the other',
    async (stage) => {
      const { first, second } = stage;
      await first.create({ ...a, spec: {} });
      await second.addFinalizer(a, 'one', 'two');
      const reader = await stage.watch(second, a);
      await reader.next();
      let done = false;
      const removing = first.teardownAndDestroy(a).then(() => {
        done = true;
      });
      assert.equal((await reader.next()).resource?.phase, 'tearingDown');
      await second.removeFinalizer(a, 'one');
      assert.deepEqual([(await second.get(a)).finalizers, done], [['two'], false]);
      await second.removeFinalizer(a, 'two');
      await inTime(removing, 'the end of teardown and destruction');
      await isGone(second);
      assert.deepEqual((await reader.take(3)).map(textOf), ['updated a@4', 'updated a@5', 'destroyed a@5']);
    },
  ],
  [
    'teardown and destruction whose time is up destroys nothing',
    async ({ first, second }) => {
      await first.create({ ...a, finalizers: ['held'], spec: {} });
      const removing = first.teardownAndDestroy(a, undefined, 3000);
      removing.catch(() => undefined);
      await eventually(async () => assert.equal((await second.get(a)).phase, 'tearingDown'));
      await assert.rejects(inTime(removing, 'the end of the time'), /DeadlineExceeded|took more than/);
      // The server hears of it before it hears this.
      await first.change(a, { labels: { left: 'alone' } }, { expectedPhase: 'any' });
      await second.removeFinalizer(a, 'held');
      for (let i = 0; i < 5; i++) assert.equal((await second.get(a)).phase, 'tearingDown');
    },
  ],
  [
    'phases hold for the other side',
    async ({ first, second }) => {
      await first.create({ ...a, spec: {} });
      await first.addFinalizer(a, 'first');
      await second.teardown(a);
      await assert.rejects(first.change(a, { labels: { x: 'y' } }), (error: SideError) =>
        error.is.includes('phase-conflict'),
      );
      const changed = await first.change(a, { labels: { x: 'y' } }, { expectedPhase: 'tearingDown' });
      assert.deepEqual([changed.phase, changed.labels], ['tearingDown', { x: 'y' }]);
      await second.change(a, { labels: { z: 'z' } }, { expectedPhase: 'any' });
      assert.deepEqual((await first.get(a)).labels, { x: 'y', z: 'z' });
    },
  ],
  [
    'owners hold for the other side',
    async ({ first, second }) => {
      await first.create({ ...a, spec: {} }, 'first-controller');
      assert.equal((await second.get(a)).owner, 'first-controller');
      const isOwnerConflict = (error: SideError) =>
        error.is.includes('owner-conflict') && error.is.includes('conflict');
      await assert.rejects(second.change(a, { labels: { x: 'y' } }), isOwnerConflict);
      await assert.rejects(second.change(a, { labels: { x: 'y' } }, { owner: 'second-controller' }), isOwnerConflict);
      await assert.rejects(second.teardown(a), isOwnerConflict);
      await assert.rejects(second.destroy(a), isOwnerConflict);
      // Finalizers are everyone's.
      await second.addFinalizer(a, 'second');
      assert.equal(await first.teardown(a, 'first-controller'), false);
      await second.removeFinalizer(a, 'second');
      await second.destroy(a, 'first-controller');
      await isGone(first);
    },
  ],
  [
    'changes that race are all made',
    async ({ first, second }) => {
      const times = 20;
      await first.create({ ...a, spec: { quantity: 0 } });
      await Promise.all([
        first.count(a, times),
        second.count(a, times),
        ...Array.from({ length: 5 }, (_, i) => first.addFinalizer(a, `first-${i}`)),
        ...Array.from({ length: 5 }, (_, i) => second.addFinalizer(a, `second-${i}`)),
      ]);
      const { spec, finalizers, version } = await second.get(a);
      assert.deepEqual(spec, { quantity: 2 * times });
      assert.equal(finalizers.length, 10);
      assert.equal(version, String(1 + 2 * times + 10));
    },
  ],
  [
    'of updates with the same version one succeeds',
    async ({ first, second }) => {
      for (let round = 0; round < 5; round++) {
        const given = { ...a, id: `a${round}` };
        await first.create({ ...given, spec: {} });
        const update = (side: Side) => side.update({ ...given, version: '1', labels: { by: side.name } });
        const outcomes = await Promise.allSettled([update(first), update(second)]);
        const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
        assert.equal(refused.length, 1);
        assert.deepEqual((refused[0] as SideError).is, ['conflict']);
        const { version, labels } = await second.get(given);
        assert.equal(version, '2');
        assert.equal(labels.by, outcomes[0].status === 'fulfilled' ? first.name : second.name);
      }
    },
  ],
  [
    'a destruction that one side waits for ends when the other destroys',
    async ({ first, second }) => {
      await first.create({ ...a, finalizers: ['held'], spec: {} });
      const ended = first.teardownAndDestroy(a).then(
        () => [],
        (error: SideError) => error.is,
      );
      await eventually(async () => assert.equal((await second.get(a)).phase, 'tearingDown'));
      await second.removeFinalizer(a, 'held');
      await second.destroy(a).catch((error: SideError) => assert.deepEqual(error.is, ['not-found']));
      // Go's server says not-found when it comes too late.
      const is = await inTime(ended, 'the end of the destruction');
      assert.ok(is.length === 0 || is[0] === 'not-found', String(is));
      await isGone(second);
    },
  ],
];
