import { DeniedError, isNotFound } from '@cosi-ts/resource';
import { type Access, type AccessRule, canTeardown, canTeardownAndDestroy, filter, wrapState } from '@cosi-ts/state';
import { check, equal, rejectsAs, rejectsWith, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

const describe = ({ verb, id }: Access): string => `${verb.name} ${id ?? '*'}`;

/** The state behind a rule that writes down what it is asked, and denies what is named. */
function guarded(t: StateTest, denied?: { readonly verb: string; readonly reason: unknown }) {
  const asked: string[] = [];
  const accesses: Access[] = [];
  const rule: AccessRule = (access) => {
    asked.push(describe(access));
    accesses.push(access);
    if (access.verb.name === denied?.verb) throw denied.reason;
  };
  const core = filter(t.core, rule);
  return { core, state: wrapState(core), asked, accesses };
}

export function filterTests({ it, features }: StateSuite): void {
  it('A1: a rule sees namespace, type, id and verb of each operation, before it', async (t) => {
    const { core, asked, accesses } = guarded(t);
    const stored = await core.create(t.item('a'));
    await core.get(t.at('a'));
    await core.list(t.kind);
    await core.update(stored);
    for (const watch of [
      await core.watch(t.at('a')),
      await core.watchKind(t.kind),
      await core.watchKindAggregated(t.kind),
    ]) {
      await watch.close();
    }
    await core.destroy(t.at('a'));
    const expected = ['create a', 'get a', 'list *', 'update a', 'watch a', 'watch *', 'watch *', 'destroy a'];
    equal(asked, expected, 'what the rule was asked');
    const { namespace, type } = t.kind;
    for (const access of accesses) equal([access.namespace, access.type], [namespace, type], 'the kind of an access');
    const readonly = accesses.filter(({ verb }) => verb.readonly).map(describe);
    equal(readonly, ['get a', 'list *', 'watch a', 'watch *', 'watch *'], 'the accesses that only read');
  });

  it('A1: a rule sees the context of the call', async (t) => {
    const contexts: unknown[] = [];
    const core = filter(t.core, (_, context) => void contexts.push(context));
    const context = { identity: 'someone', peer: '127.0.0.1:5' };
    const stored = await core.create(t.item('a'), { context });
    await core.get(t.at('a'), { context });
    await core.list(t.kind, { context });
    await core.update(stored, { context });
    await (await core.watchKind(t.kind, { context })).close();
    await core.destroy(t.at('a'), { context });
    equal(contexts, Array(6).fill(context), 'the contexts');
    await core.list(t.kind);
    equal(contexts.at(-1), {}, 'the context of a call without one');
  });

  for (const verb of ['get', 'list', 'watch', 'create', 'update', 'destroy'] as const) {
    it(`A1: what a rule throws on ${verb} reaches the caller, and nothing happens`, async (t) => {
      const stored = await t.create('a');
      const reader = await t.watchKind();
      const reason = new DeniedError('not today');
      const { core } = guarded(t, { verb, reason });
      const calls: Readonly<Record<typeof verb, (() => Promise<unknown>)[]>> = {
        get: [() => core.get(t.at('a'))],
        list: [() => core.list(t.kind)],
        watch: [() => core.watch(t.at('a')), () => core.watchKind(t.kind), () => core.watchKindAggregated(t.kind)],
        create: [() => core.create(t.item('b'))],
        update: [() => core.update(t.withValue(stored, 2))],
        destroy: [() => core.destroy(t.at('a'))],
      };
      for (const call of calls[verb]) await rejectsAs(call(), reason, verb);
      sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
      await t.quiet(reader);
    });
  }

  it('A1: a rule can be asynchronous', async (t) => {
    const reason = new DeniedError('not today');
    const core = filter(t.core, async ({ verb }) => {
      await t.core.list(t.kind);
      if (!verb.readonly) throw reason;
    });
    await rejectsAs(core.create(t.item('a')), reason, 'create');
    equal(await core.list(t.kind), [], 'the list');
  });

  it('A1: teardown shows up as get and update', async (t) => {
    await t.create('a');
    const { state, asked } = guarded(t);
    await state.teardown(t.at('a'));
    equal(asked, ['get a', 'update a'], 'what the rule was asked');
  });

  it('A1: teardownAndDestroy shows up as get, update, watch and destroy', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const { state, asked } = guarded(t);
    const removing = t.started(state.teardownAndDestroy(t.at('a')));
    await t.state.watchFor(t.at('a'), { phases: ['tearingDown'] });
    await t.state.removeFinalizer(t.at('a'), 'f');
    await t.within(removing, 'the end of teardownAndDestroy');
    equal([...new Set(asked)], ['get a', 'update a', 'watch a', 'destroy a'], 'what the rule was asked');
  });

  if (features.nativeTeardown) {
    it('A1: a native teardown is denied before its first step', async (t) => {
      const stored = await t.create('a');
      const reason = new DeniedError('not today');
      const { core } = guarded(t, { verb: 'update', reason });
      check(canTeardown(core), 'a filter must pass teardown on');
      await rejectsAs(core.teardown(t.at('a')), reason, 'teardown');
      sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    });
  }

  if (features.nativeTeardownAndDestroy) {
    it('A1: a native teardownAndDestroy is denied before its first step', async (t) => {
      const stored = await t.create('a');
      const reason = new DeniedError('not today');
      for (const verb of ['get', 'update', 'watch', 'destroy']) {
        const { core } = guarded(t, { verb, reason });
        check(canTeardownAndDestroy(core), 'a filter must pass teardownAndDestroy on');
        await rejectsAs(core.teardownAndDestroy(t.at('a')), reason, 'teardownAndDestroy');
      }
      sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    });
  } else {
    it('A1: of a composed teardownAndDestroy, what came before the denied step stays done', async (t) => {
      await t.create('a');
      const reason = new DeniedError('not today');
      const { state } = guarded(t, { verb: 'destroy', reason });
      await rejectsAs(state.teardownAndDestroy(t.at('a')), reason, 'teardownAndDestroy');
      equal((await t.core.get(t.at('a'))).metadata.phase, 'tearingDown', 'the phase');
    });
  }

  it('A1: what is allowed goes through as without a rule', async (t) => {
    const { state } = guarded(t);
    await state.create(t.item('a', 1));
    const changed = await state.modify(t.at('a'), (draft) => void draft.spec.value++);
    sameResource(await t.core.get(t.at('a')), changed, 'what is stored');
    await rejectsWith(state.get(t.at('b')), 'not-found', 'get of an absent resource', t.at('b'));
    await state.destroy(t.at('a'));
    check(isNotFound(await t.core.get(t.at('a')).catch((error: unknown) => error)), 'it must be gone');
  });
}
