import { isPendingFinalizers, UnavailableError } from '@cosi-ts/resource';
import { type CoreState, filter, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, RecordingLogger, settled } from '../testdata/harness.js';
import type { StateElectionOptions } from './election-options.js';
import type { Lease } from './leader-election.js';
import { isLeaseLost } from './lease-lost.js';
import { LeaseType, leaseOwner } from './lease-resource.js';
import { StateElection } from './state-election.js';
import { seededRandom } from './testdata/host.js';

interface World {
  readonly clock: VirtualClock;
  readonly state: State;
  readonly logger: RecordingLogger;
  /** Someone who wants to lead, with a way to the state of its own. */
  elector(options?: StateElectionOptions & { readonly core?: CoreState }): Elector;
}

interface Elector {
  readonly election: StateElection;
  lease: Lease | undefined;
  campaign(signal?: AbortSignal): Promise<Lease>;
}

function world(): World {
  const clock = new VirtualClock();
  const state = wrapState(new InMemoryState());
  const logger = new RecordingLogger();
  const electors: Elector[] = [];
  const aborter = new AbortController();
  onTestFinished(async () => {
    aborter.abort();
    for (const { lease } of electors) await lease?.release();
    await settled();
    expect(clock.timers).toBe(0);
  });
  return {
    clock,
    state,
    logger,
    elector({ core = state, ...options } = {}) {
      const random = seededRandom(electors.length);
      const election = new StateElection(core, {
        clock,
        logger,
        random,
        identity: `host-${electors.length}`,
        ...options,
      });
      const elector: Elector = {
        election,
        lease: undefined,
        async campaign(signal = aborter.signal) {
          elector.lease = await election.campaign('Work', { signal });
          return elector.lease;
        },
      };
      electors.push(elector);
      return elector;
    },
  };
}

/** Lets a campaign go on that is ended by the end of the test. */
function inBackground(campaign: Promise<unknown>): void {
  campaign.catch(() => undefined);
}

/** The state with some operations of another kind. */
function changed(core: CoreState, operations: Partial<CoreState>): CoreState {
  return Object.assign(
    filter(core, () => undefined),
    operations,
  );
}

/** A way to the state that can be cut. */
function cuttable(core: CoreState) {
  const line = { cut: false };
  const passing = filter(core, () => {
    if (line.cut) throw new UnavailableError('the line is cut');
  });
  return { line, core: passing };
}

describe('StateElection', () => {
  it('C18: the first has the lease at once, and it says who, for how long, and how often it changed', async () => {
    const { state, elector } = world();
    const lease = await elector().campaign();
    expect(lease).toMatchObject({
      name: 'Work',
      fencingToken: 1,
      holder: expect.stringMatching(/^host-0\/[0-9a-f]{16}$/),
    });
    const stored = await state.get(LeaseType.at('Work'));
    expect(stored.spec).toEqual({ holder: lease.holder, durationMs: 15_000, transitions: 1 });
    expect(stored.metadata).toMatchObject({ owner: leaseOwner, namespace: 'runtime' });
    expect(() => lease.check()).not.toThrow();
  });

  it('C18: a lease is kept up, and nobody else gets it meanwhile', async () => {
    const { clock, state, elector } = world();
    const [a, b] = [elector(), elector()];
    const lease = await a.campaign();
    inBackground(b.campaign());
    await clock.advance(600_000);
    expect(() => lease.check()).not.toThrow();
    expect(b.lease).toBeUndefined();
    // Every 2 s, ± 20 %.
    const renewals = Number((await state.get(LeaseType.at('Work'))).metadata.version);
    expect(renewals).toBeGreaterThan(240);
    expect(renewals).toBeLessThan(380);
  });

  it('C18: a standby takes over at once when the lease is released', async () => {
    const { clock, elector } = world();
    const [a, b] = [elector(), elector()];
    const lease = await a.campaign();
    const taken = b.campaign();
    await clock.advance(5000);
    await lease.release();
    expect(() => lease.check()).toThrow('it was released');
    expect(lease.signal.aborted).toBe(true);
    expect(await taken).toMatchObject({ fencingToken: 2 });
    expect(clock.monotonicMs()).toBe(5000);
  });

  it('C18: a holder that is gone is replaced when its lease has run out, counted from when its renewal was seen', async () => {
    const { clock, state, elector } = world();
    const { line, core } = cuttable(state);
    const [a, b] = [elector({ core }), elector()];
    await a.campaign();
    inBackground(b.campaign());
    await clock.advance(60_000);
    line.cut = true;
    const lastRenewal = clock.monotonicMs();
    await clock.advance(12_000);
    expect(b.lease).toBeUndefined();
    await eventually(async () => {
      await clock.advance(100);
      expect(b.lease).toBeDefined();
    });
    expect(clock.monotonicMs() - lastRenewal).toBeLessThanOrEqual(15_100);
  });

  it('C18: a candidate that comes later waits the whole time, for it cannot know how old the last renewal is', async () => {
    const { clock, state, elector } = world();
    const { line, core } = cuttable(state);
    await elector({ core }).campaign();
    line.cut = true;
    await clock.advance(14_000);
    const late = elector();
    inBackground(late.campaign());
    await clock.advance(14_999);
    expect(late.lease).toBeUndefined();
    await clock.advance(1);
    expect(late.lease).toMatchObject({ fencingToken: 2 });
  });

  it('C18: a holder that cannot renew its lease has lost it before another one can have it', async () => {
    const { clock, state, elector, logger } = world();
    const { line, core } = cuttable(state);
    const [a, b] = [elector({ core }), elector()];
    const lease = await a.campaign();
    inBackground(b.campaign());
    await settled();
    let lostAtMs: number | undefined;
    lease.signal.addEventListener('abort', () => {
      lostAtMs = clock.monotonicMs();
      expect(b.lease).toBeUndefined();
    });
    line.cut = true;
    await clock.advance(20_000);
    expect(lostAtMs).toBe(10_000);
    expect(lease.signal.reason).toSatisfy(isLeaseLost);
    expect(b.lease).toBeDefined();
    expect(logger.at('warn').length).toBeGreaterThan(0);
    expect(logger.at('error')).toMatchObject([{ facts: { lease: 'Work', holder: lease.holder } }]);
  });

  it('C18: a holder that was held up knows by the clock that its lease is over, before any timer fires', async () => {
    const clock = new VirtualClock();
    let stalledMs = 0;
    const late = { ...view(clock), monotonicMs: () => clock.monotonicMs() + stalledMs };
    const { elector } = world();
    const lease = await elector({ clock: late }).campaign();
    stalledMs = 9999;
    expect(() => lease.check()).not.toThrow();
    stalledMs = 10_000;
    expect(lease.signal.aborted).toBe(false);
    expect(() => lease.check()).toThrow(expect.toSatisfy(isLeaseLost));
    expect(lease.signal.aborted).toBe(true);
    await lease.release();
    expect(clock.timers).toBe(0);
  });

  it('C18: a host that slept with its monotonic clock standing still has lost its lease, too', async () => {
    const clock = new VirtualClock();
    const asleep = new VirtualClock();
    const { elector } = world();
    const lease = await elector({ clock: { ...view(clock), now: () => asleep.now() } }).campaign();
    await asleep.advance(10_000);
    expect(() => lease.check()).toThrow(expect.toSatisfy(isLeaseLost));
    await lease.release();
  });

  it('C18: a campaign ends with its signal, and leaves nothing behind', async () => {
    const { clock, state, elector } = world();
    const [a, b] = [elector(), elector()];
    await a.campaign();
    const aborter = new AbortController();
    const campaign = b.campaign(aborter.signal);
    await clock.advance(5000);
    const timers = clock.timers;
    aborter.abort(new Error('enough'));
    await expect(campaign).rejects.toThrow('enough');
    expect(clock.timers).toBe(timers - 1);
    await a.lease?.release();
    await clock.advance(60_000);
    expect((await state.get(LeaseType.at('Work'))).spec.holder).toBe('');
    await expect(b.campaign(aborter.signal)).rejects.toThrow('enough');
  });

  it('C18: one who is taken while its campaign ends gives the lease up at once', async () => {
    const { state, elector } = world();
    const aborter = new AbortController();
    const core = changed(state, {
      create: (resource, options) => {
        aborter.abort(new Error('enough'));
        return state.create(resource, options);
      },
    });
    await expect(elector({ core }).campaign(aborter.signal)).rejects.toThrow('enough');
    expect((await state.get(LeaseType.at('Work'))).spec).toMatchObject({ holder: '', transitions: 1 });
  });

  it('C18: one whose write took effect without an answer has the lease at the next try', async () => {
    const { clock, state, elector } = world();
    let lost = 0;
    const core = changed(state, {
      create: async (resource, options) => {
        await state.create(resource, options);
        lost++;
        throw new UnavailableError('the answer is lost');
      },
    });
    const a = elector({ core });
    inBackground(a.campaign());
    await clock.advance(2500);
    expect(lost).toBe(1);
    expect(a.lease).toMatchObject({ fencingToken: 2 });
  });

  it('C18: a renewal that took effect without an answer does not lose the lease', async () => {
    const { clock, state, elector } = world();
    let silent = false;
    const core = changed(state, {
      update: async (resource, options) => {
        const updated = await state.update(resource, options);
        if (!silent) return updated;
        silent = false;
        return new Promise(() => undefined);
      },
    });
    const lease = await elector({ core }).campaign();
    silent = true;
    await clock.advance(60_000);
    expect(silent).toBe(false);
    expect(() => lease.check()).not.toThrow();
  });

  it('C18: a holder counts from when it began to write, however late the answer comes', async () => {
    const { clock, state, elector } = world();
    let slowMs = 4000;
    const slowly = async <T>(result: Promise<T>): Promise<T> => {
      const answer = await result;
      if (slowMs > 0) await new Promise<void>((resolve) => clock.schedule(slowMs, resolve));
      return answer;
    };
    let cut = false;
    const core = changed(state, {
      create: (resource, options) => slowly(state.create(resource, options)),
      update: (resource, options) =>
        cut ? Promise.reject(new UnavailableError('the line is cut')) : slowly(state.update(resource, options)),
    });
    const lostAtMs = async (lease: Lease) => {
      await clock.advance(20_000);
      expect(lease.signal.aborted).toBe(true);
      return (lease.signal as AbortSignal & { readonly atMs?: number }).atMs;
    };
    const noting = (lease: Lease) => {
      lease.signal.addEventListener('abort', () => Object.assign(lease.signal, { atMs: clock.monotonicMs() }));
      return lease;
    };
    const a = elector({ core });
    const campaign = a.campaign();
    await clock.advance(4000);
    const first = noting(await campaign);
    cut = true;
    expect(await lostAtMs(first)).toBe(10_000);

    cut = false;
    slowMs = 0;
    await first.release();
    const second = noting(await a.campaign());
    slowMs = 4000;
    const beganMs = clock.monotonicMs();
    await clock.advance(6500);
    cut = true;
    // Renewed once, between 1.6 and 2.4 s after it was taken.
    const heldMs = ((await lostAtMs(second)) ?? 0) - beganMs;
    expect(heldMs).toBeGreaterThanOrEqual(11_600);
    expect(heldMs).toBeLessThanOrEqual(12_400);
  });

  it('C18: who lost a lease, ended its work and gave it up can have it again at once', async () => {
    const { clock, state, elector } = world();
    const { line, core } = cuttable(state);
    const a = elector({ core });
    const lease = await a.campaign();
    line.cut = true;
    await clock.advance(10_000);
    expect(lease.signal.aborted).toBe(true);
    await lease.release();
    line.cut = false;
    expect(await a.campaign()).toMatchObject({ fencingToken: 2 });
    expect(clock.monotonicMs()).toBe(10_000);
  });

  it('C18: a lease that is let lapse is not given up: others wait for its end, unless it is given up after all', async () => {
    const { clock, elector } = world();
    const [a, b] = [elector(), elector()];
    const lapsed = await a.campaign();
    inBackground(b.campaign());
    await settled();
    lapsed.lapse();
    expect(() => lapsed.check()).toThrow('it is not kept up any more');
    await clock.advance(14_900);
    expect(b.lease).toBeUndefined();
    await clock.advance(100);
    expect(b.lease).toMatchObject({ fencingToken: 2 });

    b.lease?.lapse();
    const again = a.campaign();
    await clock.advance(1000);
    await b.lease?.release();
    expect(await again).toMatchObject({ fencingToken: 3 });
    expect(clock.monotonicMs()).toBe(16_000);
  });

  it('C18: a state that rejects everything is tried again until it does not', async () => {
    const { clock, state, elector, logger } = world();
    const { line, core } = cuttable(state);
    line.cut = true;
    const a = elector({ core });
    inBackground(a.campaign());
    await clock.advance(30_000);
    expect(a.lease).toBeUndefined();
    expect(logger.at('warn').length).toBeGreaterThan(10);
    line.cut = false;
    await clock.advance(2500);
    expect(a.lease).toMatchObject({ fencingToken: 1 });
  });

  it('C18: a state that never answers ends no lease before its time, and no release', async () => {
    const { clock, state, elector } = world();
    let deaf = false;
    const never = new Promise<never>(() => undefined);
    const core = changed(state, {
      update: (resource, options) => (deaf ? never : state.update(resource, options)),
    });
    const lease = await elector({ core }).campaign();
    deaf = true;
    await clock.advance(9999);
    expect(lease.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(lease.signal.aborted).toBe(true);
    const released = lease.release();
    await clock.advance(5000);
    await released;
    expect(clock.timers).toBe(0);
  });

  it('C18: of many that wait, one gets the lease, and fencing tokens grow', async () => {
    const { clock, elector } = world();
    const electors = Array.from({ length: 5 }, () => elector());
    for (const each of electors) inBackground(each.campaign());
    const tokens: number[] = [];
    for (let round = 0; round < electors.length; round++) {
      await clock.advance(3000);
      const leading = electors.filter(({ lease }) => lease?.signal.aborted === false);
      expect(leading).toHaveLength(1);
      tokens.push(leading[0]?.lease?.fencingToken ?? 0);
      await leading[0]?.lease?.release();
    }
    expect(tokens).toEqual([1, 2, 3, 4, 5]);
  });

  it('C18: a lease cannot be destroyed by mistake; by force it is lost, and the tokens go on', async () => {
    const { clock, state, elector } = world();
    const [a, b] = [elector(), elector()];
    const lease = await a.campaign();
    inBackground(b.campaign());
    await clock.advance(5000);
    const pointer = LeaseType.at('Work');
    await expect(state.destroy(pointer, { owner: leaseOwner })).rejects.toSatisfy(isPendingFinalizers);
    await state.removeFinalizer(pointer, leaseOwner);
    await state.destroy(pointer, { owner: leaseOwner });
    await clock.advance(2500);
    expect(lease.signal.reason).toMatchObject({ code: 'runtime/lease-lost' });
    expect(b.lease).toBeUndefined();
    await clock.advance(15_000);
    expect(b.lease).toMatchObject({ fencingToken: 2 });
  });

  it('C18: leases of other names are others, also in other namespaces', async () => {
    const { state, elector } = world();
    const { election } = elector();
    const leases = [
      await election.campaign('A'),
      await election.campaign('B'),
      await elector({ namespace: 'elsewhere' }).election.campaign('A'),
    ];
    expect(leases.map(({ fencingToken }) => fencingToken)).toEqual([1, 1, 1]);
    expect(await state.list(LeaseType.kind)).toHaveLength(2);
    for (const lease of leases) await lease.release();
  });

  it('C18: times that leave no certainty are refused', () => {
    const { state } = world();
    expect(() => new StateElection(state, { renewDeadlineMs: 15_000 })).toThrow(RangeError);
    expect(() => new StateElection(state, { retryMs: 9000 })).toThrow(RangeError);
    expect(() => new StateElection(state, { retryMs: 0 })).toThrow(RangeError);
    expect(() => new StateElection(state, { leaseMs: Number.NaN })).toThrow(RangeError);
  });

  it('C18: a lease that someone else wrote oddly is waited for the own time', async () => {
    const { clock, state, elector } = world();
    await state.create(LeaseType.new('Work', { holder: 'someone' } as never));
    const a = elector();
    inBackground(a.campaign());
    await clock.advance(14_999);
    expect(a.lease).toBeUndefined();
    await clock.advance(1);
    expect(a.lease).toMatchObject({ fencingToken: 1 });
  });
});

function view(clock: VirtualClock) {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    schedule: (delayMs: number, callback: () => void) => clock.schedule(delayMs, callback),
  };
}
