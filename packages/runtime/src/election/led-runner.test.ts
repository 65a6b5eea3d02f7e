import { UnavailableError } from '@cosi-ts/resource';
import { type CoreState, filter, nextTurn, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Controller } from '../controller.js';
import { primary, weak } from '../inputs.js';
import { exclusive } from '../outputs.js';
import type { QueueController } from '../queue-controller.js';
import { Runtime } from '../runtime.js';
import type { RuntimeOptions } from '../runtime-options.js';
import { eventually, Gate, RecordingLogger, settled, steadyRandom } from '../testdata/harness.js';
import { Factors, Numbers, Squares } from '../testdata/kinds.js';
import { InProcessElection } from './in-process-election.js';
import type { LeaderElection } from './leader-election.js';
import { isLeaseLost } from './lease-lost.js';
import { LeaseType } from './lease-resource.js';
import { StateElection } from './state-election.js';
import { seededRandom } from './testdata/host.js';

interface Host {
  readonly runtime: Runtime;
  readonly logger: RecordingLogger;
  stop(): Promise<void>;
}

/** Several runtimes on one state, in one virtual time. */
function cluster(given: LeaderElection | undefined = new InProcessElection()) {
  const clock = new VirtualClock();
  const state = wrapState(new InMemoryState());
  const hosts: Host[] = [];
  onTestFinished(async () => {
    const stopped = Promise.all(hosts.map(({ stop }) => stop()));
    await clock.advance(60_000);
    await stopped;
    expect(clock.timers).toBe(0);
  });
  return {
    clock,
    state,
    hosts,
    election: given,
    host(controllers: readonly (Controller | QueueController)[], more: RuntimeOptions & { core?: CoreState } = {}) {
      const { core = state, ...options } = more;
      const logger = new RecordingLogger();
      const runtime = new Runtime(core, { clock, logger, random: steadyRandom, leaderElection: given, ...options });
      for (const controller of controllers) runtime.register(controller);
      const aborter = new AbortController();
      const running = runtime.run({ signal: aborter.signal });
      const host = {
        runtime,
        logger,
        async stop() {
          aborter.abort();
          await running;
        },
      };
      hosts.push(host);
      return host;
    },
  };
}

/** A queue controller that notes what it works on, and for which host. */
function led(notes: string[], host: string, more: Partial<QueueController> = {}): QueueController {
  return {
    name: 'Led',
    needsLeader: true,
    inputs: [primary(Numbers.kind)],
    reconcile: ({ id }) => void notes.push(`${host} ${id}`),
    ...more,
  };
}

const status = ({ runtime }: Host) => runtime.report().controllers[0]?.status;
const statuses = (hosts: readonly Host[]) => hosts.map(status);

describe('a controller that needs to lead', () => {
  it('C18: only the leader runs it; a standby keeps watching its inputs, and takes over with everything', async () => {
    const notes: string[] = [];
    const { state, host, hosts } = cluster();
    await state.create(Numbers.new('a', { value: 1 }));
    const a = host([led(notes, 'A')]);
    const b = host([led(notes, 'B')]);
    await eventually(() => expect(notes).toEqual(['A a']));
    expect(statuses(hosts)).toEqual(['running', 'standby']);
    expect(b.runtime.report().watches).toMatchObject([{ status: 'live', resources: 1 }]);
    await state.create(Numbers.new('b', { value: 2 }));
    await eventually(() => expect(notes).toEqual(['A a', 'A b']));
    await a.stop();
    await eventually(() => expect(notes.slice(2)).toEqual(['B a', 'B b']));
    expect(statuses(hosts)).toEqual(['stopped', 'running']);
  });

  it('C18: one that does not need to lead runs everywhere, and without an election each runs it', async () => {
    const notes: string[] = [];
    const everywhere = cluster();
    everywhere.host([led(notes, 'A', { needsLeader: false })]);
    everywhere.host([led(notes, 'B', { needsLeader: undefined })]);
    await everywhere.state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(notes.sort()).toEqual(['A a', 'B a']));

    const alone = cluster();
    alone.host([led(notes, 'C')], { leaderElection: undefined });
    await alone.state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(notes).toContain('C a'));
  });

  it('C18: controllers without a queue are run by the leader only, with an event to begin each term', async () => {
    const notes: string[] = [];
    const election = new InProcessElection();
    const { state, host, hosts } = cluster(election);
    const counting = (name: string): Controller => ({
      name: 'Counting',
      needsLeader: true,
      inputs: [weak(Numbers.kind)],
      outputs: [exclusive(Squares)],
      async run({ events, state: own, fencingToken }) {
        for await (const _ of events) {
          const numbers = await own.list(Numbers.kind);
          notes.push(`${name} ${fencingToken}: ${numbers.length}`);
        }
      },
    });
    host([counting('A')]);
    host([counting('B')]);
    await eventually(() => expect(notes).toEqual(['A 1: 0']));
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(notes.at(-1)).toBe('A 1: 1'));
    expect(statuses(hosts)).toEqual(['running', 'standby']);
    election.revoke('Counting');
    await eventually(() => expect(notes.at(-1)).toBe('B 2: 1'));
    expect(statuses(hosts)).toEqual(['standby', 'running']);
    election.revoke('Counting');
    await eventually(() => expect(notes.at(-1)).toBe('A 3: 1'));
  });

  it('C18: losing the lease aborts the work, which is no failure, and its writes are refused before they are made', async () => {
    const election = new InProcessElection();
    const { state, host } = cluster(election);
    const began = new Gate();
    const go = new Gate();
    let refused: unknown;
    let aborted: unknown;
    const a = host([
      led([], 'A', {
        outputs: [exclusive(Squares)],
        async reconcile({ id }, { state: own, signal }) {
          began.open();
          await go.opened;
          aborted ??= signal.reason;
          try {
            await own.modify(Squares.at(id), (draft) => {
              draft.spec.value = 1;
            });
          } catch (error) {
            refused = error;
            throw error;
          }
        },
      }),
    ]);
    await state.create(Numbers.new('a', { value: 1 }));
    await began.opened;
    election.revoke('Led');
    go.open();
    await eventually(() => expect(refused).toSatisfy(isLeaseLost));
    expect(aborted).toSatisfy(isLeaseLost);
    expect(a.logger.at('error')).toEqual([]);
    expect(a.logger.at('warn')).toMatchObject([{ facts: { controller: 'Led' }, message: 'leads no more' }]);
    expect(a.runtime.report().controllers[0]?.counts.failed).toBe(0);
  });

  it('C18: after a stall nothing is written, though no timer has fired and no signal has aborted yet', async () => {
    const { clock, state, host } = cluster(undefined);
    let stalledMs = 0;
    const stalling = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs() + stalledMs,
      schedule: (delayMs: number, callback: () => void) => clock.schedule(delayMs, callback),
    };
    const leaderElection = new StateElection(state, {
      clock: stalling,
      random: seededRandom(1),
      logger: new RecordingLogger(),
    });
    const refused: unknown[] = [];
    const tried: string[] = [];
    host(
      [
        led([], 'A', {
          outputs: [exclusive(Squares)],
          async reconcile({ id }, { state: own, signal }) {
            if (tried.length > 0) return;
            tried.push(id);
            await own.create(Squares.new('before', { value: 1 }));
            stalledMs = 10_000;
            expect(signal.aborted).toBe(false);
            for (const write of [
              () => own.create(Squares.new('after', { value: 1 })),
              () => own.destroy(Squares.at('before')),
              () => own.teardown(Squares.at('before')),
              () => own.addFinalizer(Numbers.at(id)),
            ]) {
              await write().catch((error: unknown) => refused.push(error));
            }
            expect(signal.aborted).toBe(true);
          },
        }),
      ],
      { leaderElection },
    );
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(refused).toHaveLength(4));
    for (const error of refused) expect(error).toSatisfy(isLeaseLost);
    expect((await state.list(Squares.kind)).map(({ metadata }) => [metadata.id, metadata.phase])).toEqual([
      ['before', 'running'],
    ]);
    expect((await state.get(Numbers.at('a'))).metadata.finalizers).toHaveLength(0);
  });

  it('C18: stopping a standby starts nothing, not even a shutdown hook', async () => {
    const notes: string[] = [];
    const hooks = (host: string) => ({
      runHook: () => void notes.push(`${host} runs`),
      shutdownHook: () => void notes.push(`${host} shuts down`),
    });
    const { state, host } = cluster();
    await state.create(Numbers.new('a', { value: 1 }));
    const a = host([led(notes, 'A', hooks('A'))]);
    const b = host([led(notes, 'B', hooks('B'))]);
    await eventually(() => expect(notes).toContain('A a'));
    await b.stop();
    await a.stop();
    await settled();
    expect([...notes].sort()).toEqual(['A a', 'A runs', 'A shuts down']);
  });

  it('C18: what is won at the moment of the end is given up, and starts nothing', async () => {
    const notes: string[] = [];
    const inner = new InProcessElection();
    const won = new Gate();
    const slow: LeaderElection = {
      async campaign(name, options) {
        const lease = await inner.campaign(name, options);
        await won.opened;
        return lease;
      },
    };
    const { state, host } = cluster(slow);
    await state.create(Numbers.new('a', { value: 1 }));
    const a = host([led(notes, 'A')]);
    await settled();
    const stopped = a.stop();
    await settled();
    won.open();
    await stopped;
    expect(notes).toEqual([]);
    expect((await inner.campaign('Led')).fencingToken).toBe(2);
  });

  it('C15, C18: what comes from outside to a standby is kept until it leads', async () => {
    const notes: string[] = [];
    const { host } = cluster();
    const a = host([led(notes, 'A')]);
    await settled();
    const b = host([led(notes, 'B')]);
    await settled();
    expect(b.runtime.queue('Led', Numbers.at('x'))).toBe(true);
    expect(b.runtime.queue('Led', Numbers.at('x'))).toBe(true);
    expect(() => b.runtime.queue('Led', Squares.at('x'))).toThrow('not its primary input');
    await settled();
    expect(notes).toEqual([]);
    await a.stop();
    await eventually(() => expect(notes).toEqual(['B x']));
    expect(a.runtime.queue('Led', Numbers.at('x'))).toBe(false);
  });

  it('C3, C18: inputs that are replaced are those of later terms, too', async () => {
    const notes: string[] = [];
    const election = new InProcessElection();
    const { state, host } = cluster(election);
    const a = host([]);
    const handle = a.runtime.register(led(notes, 'A'));
    await state.create(Factors.new('f', { factor: 1 }));
    await eventually(() => expect(status(a)).toBe('running'));
    await handle.replaceInputs([primary(Factors.kind)]);
    await eventually(() => expect(notes).toEqual(['A f']));
    await expect(handle.replaceInputs([])).rejects.toThrow('no primary input');
    election.revoke('Led');
    await eventually(() => expect(notes).toEqual(['A f', 'A f']));
    expect(a.runtime.report().watches.map(({ type }) => type)).toEqual([Factors.type]);
  });

  it('C5, C18: failures, restarts and counts go on through the terms', async () => {
    const election = new InProcessElection();
    const { clock, host } = cluster(election);
    let runs = 0;
    const a = host([
      {
        name: 'Counting',
        needsLeader: true,
        inputs: [],
        async run({ events }) {
          for await (const _ of events) if (++runs % 2 === 1) throw new Error('no luck');
        },
      },
    ]);
    await clock.advance(500);
    const report = () => a.runtime.report().controllers[0];
    expect(report()).toMatchObject({ restarts: 1, counts: { failed: 1, reconciled: 2 } });
    election.revoke('Counting');
    await settled();
    await clock.advance(500);
    expect(report()).toMatchObject({
      status: 'running',
      restarts: 2,
      lastError: { message: 'no luck' },
      counts: { failed: 2, reconciled: 4 },
    });
  });

  it('C18: work that ignores its signal is not doubled, and its lease runs out instead of being given up', async () => {
    const notes: string[] = [];
    const gate = new Gate();
    const election = new InProcessElection();
    const { clock, state, host } = cluster(election);
    const a = host(
      [
        led(notes, 'A', {
          async reconcile({ id }) {
            notes.push(`A ${id}`);
            await gate.opened;
          },
        }),
      ],
      { shutdownGraceMs: 1000 },
    );
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(notes).toEqual(['A a']));
    election.revoke('Led');
    expect(status(a)).toBe('stopping');
    await clock.advance(1000);
    expect(status(a)).toBe('stuck');
    await clock.advance(10_000);
    expect(notes).toEqual(['A a']);
    gate.open();
    await eventually(() => expect(notes).toEqual(['A a', 'A a']));
    expect(status(a)).toBe('running');
  });

  it('C18: an election that fails is logged, and tried again with backoff', async () => {
    const inner = new InProcessElection();
    let failures = 3;
    const failing: LeaderElection = {
      campaign: (name, options) =>
        failures-- > 0 ? Promise.reject(new Error('no election today')) : inner.campaign(name, options),
    };
    const { clock, host } = cluster(failing);
    const a = host([led([], 'A')]);
    await clock.advance(500 + 1000);
    expect(status(a)).toBe('standby');
    await clock.advance(2000);
    expect(status(a)).toBe('running');
    expect(a.logger.at('error').map(({ facts }) => facts.retryInMs)).toEqual([500, 1000, 2000]);
  });

  it('C18: a lease that fences gives the state that writes go to', async () => {
    const inner = new InProcessElection();
    const through: string[] = [];
    const fencing: LeaderElection = {
      async campaign(name, options) {
        const lease = await inner.campaign(name, options);
        return Object.assign(lease, {
          fence: (core: CoreState) =>
            filter(core, ({ verb }) => {
              through.push(verb.name);
            }),
        });
      },
    };
    const { state, host } = cluster(fencing);
    host([
      led([], 'A', {
        outputs: [exclusive(Squares)],
        async reconcile({ id }, { state: own }) {
          await own.modify(Squares.at(id), (draft) => {
            draft.spec.value = 1;
          });
        },
      }),
    ]);
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(through).toEqual(['create']));
  });
});

describe('two runtimes with an election in their state', () => {
  /** Writes one square for each number, and says who did it last. */
  const squaring = (host: string): QueueController => ({
    name: 'Squaring',
    needsLeader: true,
    inputs: [primary(Numbers.kind)],
    outputs: [exclusive(Squares)],
    async reconcile({ id }, { state, fencingToken }) {
      const number = await state.find(Numbers.at(id));
      if (number === undefined) return;
      await state.modify(Squares.at(id), (draft) => {
        draft.spec.value = number.spec.value ** 2;
        draft.metadata.labels.by = `${host} ${fencingToken}`;
      });
    },
  });

  function pair() {
    const { clock, state, host } = cluster(undefined);
    const lines: [{ cut: boolean }, { cut: boolean }] = [{ cut: false }, { cut: false }];
    const hosts = lines.map((line, i) => {
      const core = cuttable(state, line);
      const options = { clock, random: seededRandom(i), logger: new RecordingLogger() };
      return host([squaring(`host-${i}`)], { core, leaderElection: new StateElection(core, options) });
    });
    const by = async (id: string) => {
      const squares = await state.list(Squares.kind, { id: `^${id}$` });
      return squares[0]?.metadata.labels.by;
    };
    return { clock, state, lines, hosts, by };
  }

  it('C18: a clean end hands over at once', async () => {
    const { clock, state, hosts, by } = pair();
    await state.create(Numbers.new('a', { value: 3 }));
    await eventually(async () => expect(await by('a')).toBe('host-0 1'));
    await clock.advance(20_000);
    expect(statuses(hosts)).toEqual(['running', 'standby']);
    const beganMs = clock.monotonicMs();
    await hosts[0]?.stop();
    await state.create(Numbers.new('b', { value: 4 }));
    await eventually(async () => expect(await by('b')).toBe('host-1 2'));
    expect(clock.monotonicMs()).toBe(beganMs);
    expect((await state.get(LeaseType.at('Squaring'))).spec).toMatchObject({ transitions: 2 });
  });

  it('C18: a leader that loses the network stops by its own clock, before the other one begins', async () => {
    const { clock, state, lines, hosts, by } = pair();
    await state.create(Numbers.new('a', { value: 3 }));
    await eventually(async () => expect(await by('a')).toBe('host-0 1'));
    await clock.advance(20_000);
    lines[0].cut = true;
    await state.create(Numbers.new('b', { value: 4 }));
    let overlaps = 0;
    let stoppedAtMs: number | undefined;
    const cutAtMs = clock.monotonicMs();
    while (clock.monotonicMs() < cutAtMs + 20_000) {
      await clock.advance(100);
      const [first, second] = statuses(hosts);
      if (first === 'running' && second === 'running') overlaps++;
      if (first !== 'running') stoppedAtMs ??= clock.monotonicMs();
    }
    expect(overlaps).toBe(0);
    expect((stoppedAtMs ?? 0) - cutAtMs).toBeLessThanOrEqual(10_000);
    expect(statuses(hosts)).toEqual(['standby', 'running']);
    expect(await by('b')).toBe('host-1 2');
    // It comes back, and waits its turn.
    lines[0].cut = false;
    await clock.advance(60_000);
    expect(statuses(hosts)).toEqual(['standby', 'running']);
    await hosts[1]?.stop();
    await eventually(async () => expect(await by('b')).toBe('host-0 3'));
  });

  it('C18: nobody leads while nobody reaches the state, and one does after', async () => {
    const { clock, state, lines, hosts, by } = pair();
    await eventually(() => expect(statuses(hosts)).toEqual(['running', 'standby']));
    for (const line of lines) line.cut = true;
    await clock.advance(60_000);
    expect(statuses(hosts)).toEqual(['standby', 'standby']);
    for (const line of lines) line.cut = false;
    await state.create(Numbers.new('a', { value: 3 }));
    await eventually(async () => {
      await clock.advance(1000);
      expect(await by('a')).toMatch(/^host-[01] 2$/);
    });
    expect(statuses(hosts).sort()).toEqual(['running', 'standby']);
  });
});

/** A way to the state that can be cut: calls are rejected, and streams break. */
function cuttable(state: State, line: { cut: boolean }): CoreState {
  const passing = filter(state, async () => {
    await nextTurn();
    if (line.cut) throw new UnavailableError('the line is cut');
  });
  return passing;
}
