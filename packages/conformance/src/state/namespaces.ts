import { namespaced } from '@cosi-ts/state';
import { equal, rejectsAs, rejectsWith, sameResource, sameResources } from '../assertions.js';
import { Items, namespace, otherNamespace } from '../items.js';
import type { StateSuite } from '../state-suite.js';

const elsewhere = (id: string, value = 1) => Items.new(id, { value }, { namespace: otherNamespace });
const elsewhereAt = (id: string) => Items.at(id, otherNamespace);

export function namespaceTests(suite: StateSuite): void {
  if (suite.features.namespaces) isolationTests(suite);
  builderTests(suite);
}

function isolationTests({ it }: StateSuite): void {
  it('S15: each namespace has a store of its own', async (t) => {
    const stranger = await t.stranger();
    const state = namespaced((name) => (name === namespace ? t.core : stranger));
    await state.create(t.item('a'));
    await rejectsWith(state.get(elsewhereAt('a')), 'not-found', 'get in the other namespace', elsewhereAt('a'));
    await rejectsWith(stranger.get(t.at('a')), 'not-found', 'get in the other store', t.at('a'));
    sameResources(await t.core.list(t.kind), [await state.get(t.at('a'))], 'the list of the store');
  });

  it('S15: one id in two namespaces is two resources', async (t) => {
    const here = await t.create('a', 1);
    const there = await t.core.create(elsewhere('a', 2));
    const updated = await t.core.update(there);
    sameResource(await t.core.get(t.at('a')), here, 'the resource here');
    sameResource(await t.core.get(elsewhereAt('a')), updated, 'the resource there');
    await t.core.destroy(t.at('a'));
    sameResource(await t.core.get(elsewhereAt('a')), updated, 'the resource there, after the end of the other');
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get here', t.at('a'));
  });

  it('S15: lists are of one namespace', async (t) => {
    const a = await t.create('a');
    const b = await t.core.create(elsewhere('b'));
    sameResources(await t.core.list(t.kind), [a], 'the list here');
    sameResources(await t.core.list(Items.in(otherNamespace)), [b], 'the list there');
  });

  it('S15: watches are of one namespace', async (t) => {
    const here = await t.watchKind({ bootstrapContents: true });
    const there = await t.watchKindAggregated({ bootstrapContents: true, kind: Items.in(otherNamespace) });
    const one = await t.watch(elsewhereAt('a'));
    await one.expect('destroyed a@-');
    await t.create('a');
    await t.core.create(elsewhere('b'));
    await here.expect('bootstrapped', 'created a@1');
    await there.expect('bootstrapped', 'created b@1');
    await t.core.create(elsewhere('a'));
    await one.expect('created a@1');
    await there.expect('created a@1');
    await t.quiet(here);
  });
}

function builderTests({ it }: StateSuite): void {
  it('S15: a namespace is built when it is first used, once, however many calls race', async (t) => {
    const built: string[] = [];
    const state = namespaced(async (name) => {
      built.push(name);
      return t.core;
    });
    equal(built, [], 'the namespaces that were built before the first use');
    await Promise.all([
      state.list(t.kind),
      state.create(t.item('a')),
      state.watchKind(t.kind).then((watch) => watch.close()),
      state.get(t.at('b')).catch(() => undefined),
    ]);
    await state.get(t.at('a'));
    equal(built, [namespace], 'the namespaces that were built');
    equal(state.namespaces, [namespace], 'the namespaces that it tells');
  });

  it('S15: a builder that fails is tried again by the next call', async (t) => {
    const reason = new Error('no store');
    let calls = 0;
    const state = namespaced(async () => {
      calls++;
      if (calls <= 2) throw reason;
      return t.core;
    });
    await Promise.all([
      rejectsAs(state.list(t.kind), reason, 'the first call'),
      rejectsAs(state.get(t.at('a')), reason, 'a call that races it'),
    ]);
    await rejectsAs(state.list(t.kind), reason, 'the next call');
    equal(await state.list(t.kind), [], 'what the call after that gives');
    equal(calls, 3, 'the calls of the builder');
  });
}
