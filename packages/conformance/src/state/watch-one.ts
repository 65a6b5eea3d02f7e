import { isTombstone } from '@cosi-ts/resource';
import { check, equal, refusesRead, sameResource } from '../assertions.js';
import { Others } from '../items.js';
import type { StateSuite } from '../state-suite.js';

export function watchTests({ it, itKeeping }: StateSuite): void {
  it('W4: a watch of what is there begins with created and the resource', async (t) => {
    await t.create('a', 1, { labels: { x: 'y' } });
    const stored = await t.setValue(await t.core.get(t.at('a')), 2);
    const reader = await t.watch(t.at('a'));
    const [event] = await reader.expect('created a@2');
    check(event?.type === 'created', 'it must be created');
    sameResource(event.resource, stored, 'the resource');
  });

  it('W4, R12: a watch of what is absent begins with destroyed and a tombstone', async (t) => {
    const reader = await t.watch(t.at('a'));
    const [event] = await reader.expect('destroyed a@-');
    check(event?.type === 'destroyed', 'it must be destroyed');
    const { metadata } = event.resource;
    check(isTombstone(event.resource), 'the resource must be a tombstone');
    const { namespace, type, id } = t.at('a');
    equal([metadata.namespace, metadata.type, metadata.id], [namespace, type, id], 'what it names');
    equal([metadata.version, metadata.phase], [undefined, 'running'], 'its version and phase');
    refusesRead(() => t.valueOf(event.resource), 'the spec of a tombstone');
  });

  it('W4, R12: a watch of what was destroyed begins with a tombstone', async (t) => {
    await t.create('a');
    await t.core.destroy(t.at('a'));
    const reader = await t.watch(t.at('a'));
    const [event] = await reader.expect('destroyed a@-');
    check(event?.type === 'destroyed' && isTombstone(event.resource), 'the resource must be a tombstone');
  });

  it('W4: then come the changes of the resource, as they happen', async (t) => {
    const reader = await t.watch(t.at('a'));
    await reader.expect('destroyed a@-');
    const first = await t.create('a', 1);
    await reader.expect('created a@1');
    const second = await t.setValue(first, 2);
    await reader.expect('updated a@2');
    const third = await t.change(second, { phase: 'tearingDown' });
    await reader.expect('updated a@3');
    await t.core.destroy(t.at('a'));
    await reader.expect('destroyed a@3');
    await t.create('a', 4);
    const [event] = await reader.expect('created a@1');
    check(event?.type === 'created' && t.valueOf(event.resource) === 4, 'the new life must have its spec');
    equal(third.metadata.phase, 'tearingDown', 'the phase');
  });

  it('W4: the changes of other resources are not shown', async (t) => {
    const stored = await t.create('a');
    const reader = await t.watch(t.at('a'));
    await reader.expect('created a@1');
    await t.create('aa');
    await t.create('A');
    await t.core.create(Others.new('a', { value: 1 }));
    await t.core.destroy(t.at('aa'));
    await t.setValue(stored, 2);
    await reader.expect('updated a@2');
  });

  itKeeping(1)('W1, W4: the first event is fixed by the call, not by the first read', async (t) => {
    const first = await t.create('a', 1);
    const reader = await t.watch(t.at('a'), { lazy: true });
    await t.setValue(first, 2);
    const [event] = await reader.expect('created a@1', 'updated a@2');
    check(event?.type === 'created' && t.valueOf(event.resource) === 1, 'the first event must hold the spec of then');
  });

  itKeeping(1)('W1, W4: what is created before the first read comes after the tombstone', async (t) => {
    const reader = await t.watch(t.at('a'), { lazy: true });
    await t.create('a');
    await reader.expect('destroyed a@-', 'created a@1');
  });

  itKeeping(1)('W1, W4: what is destroyed before the first read comes after the present of then', async (t) => {
    await t.create('a');
    const reader = await t.watch(t.at('a'), { lazy: true });
    await t.core.destroy(t.at('a'));
    await reader.expect('created a@1', 'destroyed a@1');
  });

  it('W4: watches of one resource are independent', async (t) => {
    const first = await t.create('a');
    const before = await t.watch(t.at('a'));
    const second = await t.setValue(first, 2);
    const after = await t.watch(t.at('a'));
    await t.setValue(second, 3);
    await before.expect('created a@1', 'updated a@2', 'updated a@3');
    await after.expect('created a@2', 'updated a@3');
  });
}
