import {
  InvalidBookmarkError,
  type Metadata,
  OverrunError,
  UnavailableError,
  UnsupportedError,
} from '@cosi-ts/resource';
import { type Event, mapWatch, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { InputSubscription } from './input-watch.js';
import { resolveRuntimeOptions } from './runtime-options.js';
import { type BreakableCore, breakable } from './testdata/breakable-core.js';
import { eventually, RecordingLogger, settled, steadyRandom } from './testdata/harness.js';
import { Factors, Numbers } from './testdata/kinds.js';
import { WatchHub } from './watch-hub.js';

interface Setup {
  readonly state: State;
  readonly core: BreakableCore;
  readonly hub: WatchHub;
  readonly clock: VirtualClock;
  readonly logger: RecordingLogger;
  /** `+id@version` and `-id` for each change, with `*` in front of the backlog's. */
  readonly seen: string[];
  listen(seen?: string[]): InputSubscription;
}

function setup(core?: BreakableCore, inner = new InMemoryState()): Setup {
  core ??= breakable(inner);
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const hub = new WatchHub(core, resolveRuntimeOptions({ clock, logger, random: steadyRandom }));
  onTestFinished(() => hub.close());
  const seen: string[] = [];
  const listen = (to = seen) =>
    hub.subscribe(Numbers.kind, (changes, backlog) => {
      for (const { metadata, gone } of changes) to.push(`${backlog ? '*' : ''}${text(metadata, gone)}`);
    });
  return { state: wrapState(inner), core, hub, clock, logger, seen, listen };
}

const text = ({ id, version }: Metadata, gone: boolean) => (gone ? `-${id}` : `+${id}@${version}`);

const overrun = () => new OverrunError(Numbers.kind, 1n, 20n, 10);

async function liveSetup(): Promise<Setup> {
  const made = setup();
  for (const id of ['kept', 'changed', 'gone', 'remade']) await made.state.create(Numbers.new(id, { value: 1 }));
  await made.listen().live;
  made.seen.length = 0;
  return made;
}

/** One of each thing that can happen to a resource. */
async function changeAll(state: State): Promise<void> {
  await state.addFinalizer(Numbers.at('changed'), 'f');
  await state.destroy(Numbers.at('gone'));
  await state.destroy(Numbers.at('remade'));
  await state.create(Numbers.new('remade', { value: 1 }));
  await state.create(Numbers.new('new', { value: 1 }));
}

describe('watches of inputs', () => {
  it('C9: give what is there, then each change, through one watch for all who listen', async () => {
    const { state, core, hub, seen, listen } = setup();
    await state.create(Numbers.new('a', { value: 1 }));
    await listen().live;
    expect(seen).toEqual(['*+a@1']);
    const later: string[] = [];
    const second = listen(later);
    await second.live;
    expect(later).toEqual(['*+a@1']);
    await state.addFinalizer(Numbers.at('a'), 'f');
    await state.create(Numbers.new('b', { value: 1 }));
    await eventually(() => expect(seen).toEqual(['*+a@1', '+a@2', '+b@1']));
    expect(later).toEqual(seen);
    expect(core.asked).toHaveLength(1);
    second.close();
    await state.destroy(Numbers.at('b'));
    await eventually(() => expect(seen).toEqual(['*+a@1', '+a@2', '+b@1', '-b']));
    expect(later).toHaveLength(3);
    expect(hub.report()).toMatchObject([{ status: 'live', resources: 1, failures: 0 }]);
  });

  it('C9: tell a resource once for all its changes that come together', async () => {
    const { state, seen } = await liveSetup();
    // The watch has no chance to read between these.
    const pointer = Numbers.at('kept');
    await Promise.all(['a', 'b', 'c'].map((name) => state.addFinalizer(pointer, name)));
    await eventually(() => expect(seen.at(-1)).toBe('+kept@4'));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('C9, W13: after an overrun list and compare at once, and tell every difference', async () => {
    const { state, core, seen, hub, logger } = await liveSetup();
    core.cut(overrun());
    await changeAll(state);
    await eventually(() => expect(hub.report()[0]?.status).toBe('live'));
    expect([...seen].sort()).toEqual(['*+changed@2', '*+new@1', '*+remade@1', '*-gone']);
    expect(core.asked.map(({ bootstrapContents }) => bootstrapContents)).toEqual([true, true]);
    expect(logger.at('warn')[0]?.facts).toMatchObject({ err: { code: 'overrun' }, retryInMs: 0 });
    seen.length = 0;
    await state.destroy(Numbers.at('new'));
    await eventually(() => expect(seen).toEqual(['-new']));
  });

  it('C9: keep from hammering a state that overruns again and again', async () => {
    const { core, clock, logger } = await liveSetup();
    for (let i = 0; i < 3; i++) {
      core.cut(overrun());
      await clock.advance(30_000 - 1);
      await settled();
    }
    expect(logger.at('warn').map(({ facts }) => facts.retryInMs)).toEqual([0, 1000, 2000]);
  });

  it('W13, W15: a broken stream is resumed from its bookmark after a backoff, with nothing lost or told twice', async () => {
    const { state, core, seen, clock, hub } = await liveSetup();
    core.refusals.push(new UnavailableError('the server is away'), new UnavailableError('still away'));
    core.cut(new UnavailableError('the connection broke'));
    await changeAll(state);
    await settled();
    expect(hub.report()[0]).toMatchObject({ status: 'degraded', reason: 'the connection broke', failures: 1 });
    await clock.advance(500);
    expect(hub.report()[0]).toMatchObject({ status: 'degraded', reason: 'the server is away', failures: 2 });
    await clock.advance(1000);
    await clock.advance(2000);
    expect(hub.report()[0]).toMatchObject({ status: 'live', failures: 3 });
    expect(seen).toEqual(['+changed@2', '-gone', '+remade@1', '+new@1']);
    expect(core.asked.map(({ startFromBookmark }) => startFromBookmark !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('W15: a quiet watch of an empty kind is resumed too', async () => {
    const { state, core, seen, clock, listen } = setup();
    await listen().live;
    core.cut();
    await state.create(Numbers.new('a', { value: 1 }));
    await clock.advance(500);
    await eventually(() => expect(seen).toEqual(['+a@1']));
    expect(core.asked[1]?.startFromBookmark).toBeDefined();
  });

  it.each(['the call', 'the first event'])('W15: a bookmark that %s refuses has everything listed', async (where) => {
    const { state, core, seen, clock } = await liveSetup();
    const refusal = new InvalidBookmarkError('it is not kept any more');
    if (where === 'the call') core.refusals.push(refusal);
    else core.firstErrors.push(new UnavailableError('an error that comes first refuses, whatever it is'));
    core.cut();
    await changeAll(state);
    await clock.advance(500);
    await clock.advance(1000);
    await eventually(() => expect([...seen].sort()).toEqual(['*+changed@2', '*+new@1', '*+remade@1', '*-gone']));
    expect(core.asked.map(({ bootstrapContents = false }) => bootstrapContents)).toEqual([true, false, true]);
  });

  it('Q4: a failing list is tried again with backoff, for ever', async () => {
    const { state, core, seen, clock, listen, hub } = setup();
    core.refusals.push(...Array.from({ length: 20 }, () => new UnavailableError('not up yet')));
    await state.create(Numbers.new('a', { value: 1 }));
    const { live } = listen();
    await clock.advance(15 * 60_000);
    await live;
    expect(seen).toEqual(['*+a@1']);
    expect(hub.report()[0]).toMatchObject({ status: 'live', failures: 20 });
  });

  it('C9: the backoff begins anew after half a minute of health', async () => {
    const { core, clock, logger } = await liveSetup();
    for (const healthyMs of [0, 0, 30_000]) {
      await clock.advance(healthyMs);
      core.cut();
      await clock.advance(5000);
    }
    expect(logger.at('warn').map(({ facts }) => facts.retryInMs)).toEqual([500, 1000, 500]);
  });

  it('W15: where a peer gives no bookmark, everything is listed and compared, and nothing waits for one', async () => {
    const inner = new InMemoryState();
    const core = breakable(inner);
    const watchKindAggregated = core.watchKindAggregated.bind(core);
    core.watchKindAggregated = async (kind, options) => {
      const watch = await watchKindAggregated(kind, options);
      return mapWatch(watch, (events) =>
        events.map((event) => (event.type === 'errored' ? event : { ...event, bookmark: undefined as never })),
      );
    };
    const { state, seen, clock, listen, hub } = setup(core, inner);
    for (const id of ['kept', 'changed', 'gone', 'remade']) await state.create(Numbers.new(id, { value: 1 }));
    await listen().live;
    expect(hub.report()[0]?.status).toBe('live');
    seen.length = 0;
    core.cut(new UnavailableError('the connection broke'));
    await changeAll(state);
    await clock.advance(500);
    await eventually(() => expect([...seen].sort()).toEqual(['*+changed@2', '*+new@1', '*+remade@1', '*-gone']));
    expect(core.asked.map(({ bootstrapContents = false }) => bootstrapContents)).toEqual([true, true]);
  });

  it('W15: a peer that knows of no bookmarks has everything listed', async () => {
    const { state, core, seen, clock } = await liveSetup();
    core.refusals.push(new UnsupportedError('no bookmarks here'));
    core.cut();
    await state.create(Numbers.new('new', { value: 1 }));
    await clock.advance(500);
    await clock.advance(1000);
    await eventually(() => expect(seen).toEqual(['*+new@1']));
  });

  it('C9: a list that breaks half way begins anew, though it brought positions', async () => {
    const inner = new InMemoryState();
    const core = breakable(inner);
    const watchKindAggregated = core.watchKindAggregated.bind(core);
    let lists = 0;
    core.watchKindAggregated = async (kind, options) => {
      const watch = await watchKindAggregated(kind, options);
      if (options?.bootstrapContents !== true || lists++ > 0) return watch;
      const error = new UnavailableError('half way');
      return mapWatch(watch, (events) => {
        const some = events.slice(0, 2).map((event) => ({ ...event, bookmark: new Uint8Array(16) }));
        return [...(some as Event[]), { type: 'errored', error }];
      });
    };
    const { state, seen, clock, listen } = setup(core, inner);
    for (const id of ['a', 'b', 'c']) await state.create(Numbers.new(id, { value: 1 }));
    const { live, tried } = listen();
    expect(await tried).toBe(false);
    await state.destroy(Numbers.at('a'));
    await clock.advance(500);
    await live;
    expect(seen).toEqual(['*+a@1', '*+b@1', '*+c@1', '*-a']);
    expect(core.asked.map(({ bootstrapContents = false }) => bootstrapContents)).toEqual([true, true]);
  });

  it('C9, W13: whatever breaks, what listeners were told is in the end what is there', async () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('set' as const, 'destroy' as const), id }) },
      fc.record({ do: fc.constantFrom('overrun' as const, 'drop' as const, 'refuse' as const, 'fail' as const) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.nat(2000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { state, core, hub, clock } = setup();
        const views: Map<string, string>[] = [];
        const view = () => {
          const known = new Map<string, string>();
          views.push(known);
          hub.subscribe(Numbers.kind, (changes) => {
            for (const { metadata, gone } of changes) {
              if (gone) known.delete(metadata.id);
              else known.set(metadata.id, `${metadata.created}@${metadata.version}`);
            }
          });
        };
        view();
        for (const [i, each] of steps.entries()) {
          if (i === 10) view();
          if (each.do === 'set')
            await state.modify(Numbers.at(each.id), (draft) => void Object.assign(draft.spec, { value: i }));
          else if (each.do === 'destroy') await state.destroy(Numbers.at(each.id)).catch(() => undefined);
          else if (each.do === 'wait') await clock.advance(each.ms);
          else if (each.do === 'overrun') core.cut(overrun());
          else if (each.do === 'drop') core.cut();
          else if (each.do === 'refuse') core.refusals.push(new InvalidBookmarkError('not kept'));
          else core.firstErrors.push(new UnavailableError('no'));
        }
        await clock.advance(20 * 60_000);
        const present = (await state.list(Numbers.kind)).map(({ metadata }) => [
          metadata.id,
          `${metadata.created}@${metadata.version}`,
        ]);
        for (const known of views) expect([...known].sort()).toEqual(present);
        expect(hub.report()[0]?.status).toBe('live');
        await hub.close();
        expect([core.open, clock.timers]).toEqual([0, 0]);
      }),
      { numRuns: 60 },
    );
  }, 30_000);

  it('leave nothing behind when nobody listens any more', async () => {
    const { core, hub, clock, listen } = setup();
    const one = listen();
    const other = hub.subscribe(Factors.kind, () => undefined);
    await Promise.all([one.live, other.live]);
    expect(core.open).toBe(2);
    one.close();
    one.close();
    await eventually(() => expect(core.open).toBe(1));
    core.cut();
    await settled();
    expect(clock.timers).toBe(1);
    await hub.close();
    expect([core.open, clock.timers]).toEqual([0, 0]);
  });

  it.each(['first', 'later'])(
    'C9, Q8: fresh changes do not wait for a long list, and stand against what it says: a %s one',
    async (which) => {
      const { state, listen, seen, core, hub } = setup();
      const count = 5000;
      for (let i = 0; i < count; i++) await state.create(Numbers.new(`${i}`.padStart(4, '0'), { value: i }));
      const { live } = listen();
      if (which === 'later') {
        await live;
        seen.length = 0;
        core.cut(overrun());
        // Without these the list would bring nothing new.
        for (let i = 0; i < 200; i++) await state.addFinalizer(Numbers.at(`${i}`.padStart(4, '0')), 'f');
      }
      await eventually(() => expect(seen.length).toBeGreaterThan(0));
      await state.addFinalizer(Numbers.at('4998'), 'fresh');
      await state.destroy(Numbers.at('4999'));
      await state.create(Numbers.new('new', { value: 1 }));
      await settled();
      expect(hub.report()[0]?.lastActivity).toBeDefined();
      const fresh = seen.filter((each) => !each.startsWith('*'));
      expect(fresh).toEqual(['+4998@2', '-4999', '+new@1']);
      await eventually(() => expect(hub.report()[0]).toMatchObject({ status: 'live', resources: count }));
      expect(seen.filter((each) => /4998|4999|new/.test(each))).toEqual(fresh);
      expect(seen.indexOf('+new@1')).toBeLessThan(seen.length - (which === 'first' ? 1000 : 0));
      expect(new Set(seen).size).toBe(seen.length);
    },
  );

  it('give a large list in parts, and a later listener the rest once', async () => {
    const { state, listen, seen } = setup();
    const count = 10_000;
    for (let i = 0; i < count; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    const first = listen();
    await eventually(() => expect(seen.length).toBeGreaterThan(0));
    expect(seen.length).toBeLessThan(count);
    const late: string[] = [];
    const second = listen(late);
    await Promise.all([first.live, second.live]);
    expect(new Set(seen).size).toBe(count);
    expect(seen).toHaveLength(count);
    expect(new Set(late).size).toBe(count);
  });
});
