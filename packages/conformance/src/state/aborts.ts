import type { CallOptions } from '@cosi-ts/state';
import { check, equal, rejectsAs, sameResource } from '../assertions.js';
import { CountedAbort } from '../counted-abort.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

interface Call {
  readonly name: string;
  /** Works on the item `a`, which is there in version 1 with the value 1. */
  readonly run: (t: StateTest, options: CallOptions) => Promise<unknown>;
  readonly writes: boolean;
}

const calls: readonly Call[] = [
  { name: 'get', writes: false, run: (t, options) => t.core.get(t.at('a'), options) },
  { name: 'list', writes: false, run: (t, options) => t.core.list(t.kind, options) },
  { name: 'create', writes: true, run: (t, options) => t.core.create(t.item('b'), options) },
  {
    name: 'update',
    writes: true,
    run: async (t, options) => t.core.update(t.withValue(await t.core.get(t.at('a')), 2), options),
  },
  { name: 'destroy', writes: true, run: (t, options) => t.core.destroy(t.at('a'), options) },
  { name: 'watch', writes: false, run: (t, options) => t.core.watch(t.at('a'), options) },
  { name: 'watchKind', writes: false, run: (t, options) => t.core.watchKind(t.kind, options) },
  { name: 'watchKindAggregated', writes: false, run: (t, options) => t.core.watchKindAggregated(t.kind, options) },
  { name: 'teardown', writes: true, run: (t, options) => t.state.teardown(t.at('a'), options) },
  { name: 'teardownAndDestroy', writes: true, run: (t, options) => t.state.teardownAndDestroy(t.at('a'), options) },
  {
    name: 'modify',
    writes: true,
    run: (t, options) => t.state.modify(t.at('a'), (draft) => void draft.spec.value++, options),
  },
  { name: 'addFinalizer', writes: true, run: (t, options) => t.state.addFinalizer(t.at('a'), 'f', options) },
];

export function abortTests({ it }: StateSuite): void {
  for (const { name, run, writes } of calls) {
    for (const reason of [new Error('enough'), 'a text as the reason']) {
      const of = reason instanceof Error ? 'an error' : 'a text';
      it(`S1: ${name} with a signal that has aborted for ${of} rejects with it and has no effect`, async (t) => {
        const stored = await t.create('a', 1);
        const reader = await t.watchKind({ bootstrapContents: true });
        const abort = new AbortController();
        abort.abort(reason);
        await rejectsAs(run(t, { signal: abort.signal }), reason, name);
        sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
        await reader.expect('created a@1', 'bootstrapped');
        await t.quiet(reader);
      });
    }

    it(`S1: ${name} leaves no listener on its signal`, async (t) => {
      await t.create('a', 1);
      const abort = new CountedAbort();
      const result = await run(t, { signal: abort.signal });
      if (isWatch(result)) await result.close();
      equal(abort.listeners, 0, 'the listeners after it succeeded');
    });

    it(`S1: an abort after ${name} was answered changes nothing`, async (t) => {
      await t.create('a', 1);
      const reader = await t.watchKind({ bootstrapContents: true });
      const abort = new AbortController();
      await run(t, { signal: abort.signal });
      const before = (await t.core.list(t.kind)).map(String);
      abort.abort(new Error('too late'));
      equal((await t.core.list(t.kind)).map(String), before, 'what is stored');
      await t.addsUp(reader);
    });

    if (!writes) continue;
    it(`S1: ${name} that is aborted under way has its full effect or none`, async (t) => {
      for (let turns = 0; turns < 12; turns++) {
        const stored = await t.create('a', 1);
        const reader = await t.watchKind({ bootstrapContents: true });
        const abort = new AbortController();
        const reason = new Error(`aborted after ${turns} turns`);
        const running = run(t, { signal: abort.signal });
        const settled = running.then(
          () => true,
          (error: unknown) => {
            check(error === reason, `it must reject with the reason, not with ${error}`);
            return false;
          },
        );
        for (let i = 0; i < turns; i++) await undefined;
        abort.abort(reason);
        const succeeded = await t.within(settled, `${name} to settle`);
        const changed = (await t.core.list(t.kind)).map(String).join() !== stored.toString();
        check(changed || !succeeded, `${name} succeeded without an effect`);
        await t.addsUp(reader);
        await reader.close();
        await empty(t);
      }
    });
  }

  for (const name of ['watch', 'watchKind', 'watchKindAggregated'] as const) {
    it(`S1, W2: an abort of ${name} ends it, and nothing comes after that`, async (t) => {
      const abort = new AbortController();
      const options = { signal: abort.signal, lazy: true };
      const reader = name === 'watch' ? await t.watch(t.at('a'), options) : await t[name](options);
      const live = await t.watchKind();
      await t.create('a');
      abort.abort(new Error('enough'));
      await t.create('b');
      await live.expect('created a@1', 'created b@1');
      await reader.ended();
    });
  }

  it('S1: an abort of one call does not touch another', async (t) => {
    const stored = await t.create('a', 1);
    const abort = new AbortController();
    const reason = new Error('enough');
    const aborted = t.core.update(t.withValue(stored, 5), { signal: abort.signal }).catch((error: unknown) => error);
    const others = [t.started(t.create('b')), t.started(t.create('c'))];
    abort.abort(reason);
    await aborted;
    equal((await Promise.all(others)).map(String), (await t.core.list(t.kind)).slice(1).map(String), 'the others');
    const reader = await t.watchKind({ bootstrapContents: true });
    const texts = (await reader.until('bootstrapped')).map(eventText);
    equal(texts.slice(1), ['created b@1', 'created c@1', 'bootstrapped'], 'the events');
  });
}

function isWatch(value: unknown): value is { close(): Promise<void> } {
  return typeof (value as { close?: unknown } | undefined)?.close === 'function';
}

async function empty(t: StateTest): Promise<void> {
  for (const { metadata } of await t.core.list(t.kind)) {
    if (metadata.finalizers.length > 0) await t.state.removeFinalizer(metadata, metadata.finalizers);
    await t.core.destroy(metadata, { owner: metadata.owner });
  }
}
