import { setTimeout as delay } from 'node:timers/promises';
import { type FaultProxy, openFaultProxy } from '@cosi-ts/faults';
import { Seeded } from '@cosi-ts/harness';
import type { Runtime } from '@cosi-ts/runtime';
import { type State, wrapState } from '@cosi-ts/state';
import { type ConnectStateOptions, connectState } from '@cosi-ts/transport';
import { doublingRuntime, undone } from './doubles.js';
import { DurableServer } from './durable-server.js';
import { Joiner, stoneText } from './joiner.js';
import { planned } from './plan.js';
import { Recording } from './recording.js';
import type { HistoryQuestion } from './server.js';
import { even, Stone, Thing, watchedId } from './things.js';
import { filler, stones, Writer } from './writers.js';

/** How long watches and the runtime may take to go on after a fault. Far more than they need: the machine may be busy. */
const recoveryMs = 120_000;

/** How long a silence is that keepalive must notice. */
const silentMs = 6000;

/** How many watches that began with a bootstrap are open at a time. */
const maxJoiners = 6;

const writers = 3;

/** The clients try again soon, so that there are many attempts, and notice silence soon. */
const clientOptions: ConnectStateOptions = {
  resumeBackoff: { initialMs: 20, maxMs: 500 },
  keepalive: { intervalMs: 1000, timeoutMs: 2000 },
  connectTimeoutMs: 3000,
};

/** A recording, and what of the history it must hold. */
interface Followed {
  readonly recording: Recording;
  readonly of: HistoryQuestion['of'];
  /** How many events told the present before. */
  readonly first: number;
}

/** A durable server, and what goes on while faults are played on the way to it. */
export class Campaign implements AsyncDisposable {
  readonly server: DurableServer;
  readonly problems: string[] = [];
  readonly #proxy: FaultProxy;
  readonly #random: Seeded;
  /** Past the proxy. */
  readonly #direct: State;
  readonly #remote: State;
  readonly #runtime: Runtime;
  readonly #stopRuntime = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #bookmark = '';
  readonly #followed: Followed[] = [];
  readonly #writers: Writer[];
  readonly #joiners: { readonly joiner: Joiner; readonly name: string }[] = [];
  readonly #counts = new Map<string, number>();
  readonly #starting = new Set<Promise<void>>();
  #slowestMs = 0;

  private constructor(server: DurableServer, proxy: FaultProxy, seed: number) {
    this.server = server;
    this.#proxy = proxy;
    this.#random = new Seeded(seed);
    this.#direct = wrapState(connectState(server.url, clientOptions));
    this.#remote = wrapState(connectState(proxy.url, clientOptions));
    this.#runtime = doublingRuntime(wrapState(connectState(proxy.url, clientOptions)));
    this.#writers = Array.from(
      { length: writers },
      () => new Writer(this.#direct, new Seeded(this.#random.below(1e9))),
    );
  }

  static async start(folder: string, seed: number): Promise<Campaign> {
    const server = await DurableServer.start(folder);
    const campaign = new Campaign(server, await openFaultProxy(server.url), seed);
    await campaign.#begin();
    return campaign;
  }

  /** What has happened so far. */
  get progress(): string {
    const counts = [...this.#counts].map(([name, count]) => `${count} ${name}`).join(', ');
    const writes = this.#writers.reduce((sum, writer) => sum + writer.writes, 0);
    const events = this.#followed.reduce((sum, { recording }) => sum + recording.texts.length, 0);
    return (
      `${counts}; ${writes} writes, ${events} events in ${this.#followed.length} watches; ` +
      `the slowest recovery took ${(this.#slowestMs / 1000).toFixed(1)} s`
    );
  }

  /** Plays one fault, and mostly waits until all watches have gone on. */
  async fault(): Promise<void> {
    const random = this.#random;
    const fault = planned(random, silentMs);
    this.#counts.set(fault.name, (this.#counts.get(fault.name) ?? 0) + 1);
    if (random.float() < 0.2) this.#join();
    await fault.run(this.#proxy, this.server, random);
    if (random.float() < 0.3) await delay(random.below(200));
    else await this.#recovered(fault.name);
  }

  /** Ends the writing, waits until everything has been delivered and done, and looks at it. */
  async finish(): Promise<void> {
    this.#proxy.heal();
    for (const writer of this.#writers) await writer.stop();
    await Promise.all(this.#starting);
    if (this.problems.length > 0) return;
    await this.#checkDoubles();
    await this.#recovered('the end', async () => {
      await this.#direct.modify(Thing.at('end'), (draft) => {
        draft.spec.n = 0;
        draft.metadata.labels.parity = 'even';
      });
      await this.#replaceWatched();
    });
    await this.#checkDoubles();
    for (const followed of this.#followed) await this.#checkFollowed(followed);
    await this.#checkJoiners();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopRuntime.abort();
    await this.#running.catch(() => {});
    for (const { recording } of this.#followed) await recording.close();
    for (const { joiner } of this.#joiners) await joiner.close();
    await this.#remote.close();
    await this.#direct.close();
    await this.#proxy.close();
    await this.server[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    for (let i = 0; i < stones; i += 100) {
      const ids = Array.from({ length: 100 }, (_, j) => `stone-${i + j}`);
      await Promise.all(ids.map((id) => this.#direct.create(Stone.new(id, { n: 0, text: filler }))));
    }
    await this.#direct.create(Thing.new(watchedId, { n: 0 }));
    await using marks = await this.#direct.watchKind(Thing.kind, { bootstrapBookmark: true });
    const { value: mark } = await marks.next();
    this.#bookmark = Buffer.from((mark as { readonly bookmark: Uint8Array }).bookmark).toString('hex');
    const startFromBookmark = Buffer.from(this.#bookmark, 'hex');
    const { kind } = Thing;
    const one = Thing.at(watchedId);
    const state = this.#remote;
    this.#follow('kind', 'all', 0, await state.watchKind(kind));
    this.#follow('kind from a bookmark', 'all', 0, await state.watchKind(kind, { startFromBookmark }));
    this.#follow('kind from a bootstrap', 'all', 2, await state.watchKind(kind, { bootstrapContents: true }));
    this.#follow('even ones', 'even', 0, await state.watchKind(kind, { labels: [even] }));
    this.#follow('aggregated', 'all', 0, await state.watchKindAggregated(kind));
    this.#follow('one', 'one', 1, await state.watch(one));
    this.#follow('one from a bookmark', 'one', 0, await state.watch(one, { startFromBookmark }));
    this.#running = this.#runtime.run({ signal: this.#stopRuntime.signal });
    this.#running.catch((error: unknown) => this.problems.push(`the runtime ended: ${error}`));
    for (const writer of this.#writers) writer.start();
  }

  #follow(
    name: string,
    of: HistoryQuestion['of'],
    first: number,
    watch: ConstructorParameters<typeof Recording>[1],
  ): void {
    this.#followed.push({ recording: new Recording(name, watch), of, first });
  }

  /** Begins another watch from a bootstrap, whatever is going on. */
  #join(): void {
    if (this.#joiners.length + this.#starting.size >= maxJoiners) return;
    const aggregated = this.#random.float() < 0.5;
    const name = `${aggregated ? 'aggregated' : 'single'} bootstrap ${this.#joiners.length}`;
    const start = async () => {
      for (;;) {
        try {
          this.#joiners.push({ name, joiner: await Joiner.start(this.#remote, aggregated) });
          return;
        } catch {
          // A watch that could not be established is its caller's to try again.
          await delay(100);
        }
      }
    };
    const starting = start().finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  /** Waits until every watch has given something new. */
  async #recovered(after: string, act: () => Promise<void> = async () => {}): Promise<void> {
    const begin = performance.now();
    const before = this.#followed.map(({ recording }) => recording.texts.length);
    const late = AbortSignal.timeout(recoveryMs);
    await act();
    await Promise.all(this.#followed.map(({ recording }, i) => recording.more(before[i] as number, late)));
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - begin);
    for (const [i, { recording }] of this.#followed.entries()) {
      if (recording.failure !== undefined) this.problems.push(`watch of ${recording.name}: ${recording.failure}`);
      else if (recording.texts.length === before[i])
        this.problems.push(`watch of ${recording.name}: nothing came within ${recoveryMs} ms after ${after}`);
    }
  }

  /** The watched thing ends as a new one, so that its watches have something to see. */
  async #replaceWatched(): Promise<void> {
    const pointer = Thing.at(watchedId);
    if ((await this.#direct.list(Thing.kind)).some(({ metadata }) => metadata.id === watchedId))
      await this.#direct.teardownAndDestroy(pointer);
    await this.#direct.create(Thing.new(watchedId, { n: -1 }));
  }

  async #checkFollowed({ recording, of, first }: Followed): Promise<void> {
    const given = recording.texts.slice(first);
    const expected = await this.server.history({ of, bookmark: this.#bookmark, count: given.length });
    const at = given.findIndex((text, i) => text !== expected[i]);
    if (at >= 0)
      this.problems.push(`watch of ${recording.name}: event ${at} was ${given[at]} instead of ${expected[at]}`);
    const last = of === 'one' ? /^created .*=-1 / : /^created end /;
    if (!given.some((text) => last.test(text))) this.problems.push(`watch of ${recording.name}: the end is missing`);
  }

  async #checkDoubles(): Promise<void> {
    const until = performance.now() + recoveryMs;
    let left = await undone(this.#direct);
    while (left.length > 0 && performance.now() < until) {
      await delay(50);
      left = await undone(this.#direct);
    }
    for (const what of left.slice(0, 3)) this.problems.push(`the controller did not converge: ${what}`);
  }

  async #checkJoiners(): Promise<void> {
    const expected = (await this.#direct.list(Stone.kind)).map(stoneText).sort();
    const until = performance.now() + recoveryMs;
    for (const { joiner, name } of this.#joiners) {
      await Promise.race([joiner.joined, delay(recoveryMs)]);
      while (joiner.stones.join() !== expected.join() && joiner.problems.length === 0 && performance.now() < until)
        await delay(50);
      for (const problem of joiner.problems.slice(0, 3)) this.problems.push(`${name}: ${problem}`);
      const at = expected.findIndex((text, i) => text !== joiner.stones[i]);
      if (at >= 0) this.problems.push(`${name}: ${joiner.stones[at]} instead of ${expected[at]}`);
    }
  }
}
