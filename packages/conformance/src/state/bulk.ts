import { isNotFound } from '@cosi-ts/resource';
import type { WriteOutcome } from '@cosi-ts/state';
import { check, equal, rejectsWith } from '../assertions.js';
import { Items } from '../items.js';
import type { StateSuite } from '../state-suite.js';

export function bulkTests({ it }: StateSuite): void {
  it('S18: many writes are made, and their outcomes come in their order', async (t) => {
    const kept = await t.create('kept');
    await t.create('gone');
    const outcomes = await t.state.writeMany([
      { type: 'create', resource: t.item('a'), owner: 'me' },
      { type: 'destroy', pointer: t.at('gone') },
      { type: 'update', resource: kept },
      { type: 'create', resource: t.item('b') },
    ]);
    equal(
      outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? (outcome.value?.metadata.id ?? 'nothing') : 'failed',
      ),
      ['a', 'nothing', 'kept', 'b'],
      'the outcomes',
    );
    equal(
      (await t.core.list(t.kind)).map(({ metadata }) => `${metadata.id} ${metadata.version} ${metadata.owner}`),
      ['a 1 me', 'b 1 ', 'kept 2 '],
      'the list',
    );
  });

  it('S18: a write that fails does not keep the others from being made', async (t) => {
    await t.create('taken');
    const outcomes = await t.state.writeMany([
      { type: 'create', resource: t.item('a') },
      { type: 'create', resource: t.item('taken') },
      { type: 'destroy', pointer: t.at('absent') },
      { type: 'create', resource: t.item('b') },
    ]);
    equal(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
      'the outcomes',
    );
    await rejectsWith(reasonOf(outcomes[1]), 'already-exists', 'the second write', t.at('taken'));
    await rejectsWith(reasonOf(outcomes[2]), 'not-found', 'the third write', t.at('absent'));
    equal(
      (await t.core.list(t.kind)).map(({ metadata }) => metadata.id),
      ['a', 'b', 'taken'],
      'the list',
    );
  });

  it('S18, S16: writes to one resource take effect in their order', async (t) => {
    const ids = ['a', 'b', 'c'];
    const outcomes = await t.state.writeMany([
      ...ids.map((id) => ({ type: 'create' as const, resource: t.item(id) })),
      ...ids.map((id) => ({ type: 'destroy' as const, pointer: t.at(id) })),
      ...ids.map((id) => ({ type: 'create' as const, resource: t.item(id, 2) })),
    ]);
    check(
      outcomes.every(({ status }) => status === 'fulfilled'),
      'all writes must be made',
    );
    equal(
      (await t.state.list(Items.kind)).map(({ spec }) => spec.value),
      [2, 2, 2],
      'what the last writes left',
    );
  });

  it('S18, S1: an aborted call writes nothing', async (t) => {
    const reason = new Error('enough');
    const call = t.state.writeMany([{ type: 'create', resource: t.item('a') }], { signal: AbortSignal.abort(reason) });
    const seen = await call.then(
      () => 'the call went through',
      (error: unknown) => error,
    );
    check(seen === reason, 'the call must reject with the reason of the signal');
    const absent = await t.core.get(t.at('a')).catch((error: unknown) => error);
    check(isNotFound(absent), 'nothing must have been written');
  });

  it('S18: no writes give no outcomes', async (t) => {
    equal(await t.state.writeMany([]), [], 'the outcomes');
  });
}

function reasonOf(outcome: WriteOutcome | undefined): Promise<unknown> {
  return outcome?.status === 'rejected' ? Promise.reject(outcome.reason) : Promise.resolve(outcome);
}
