import { setTimeout as delay } from 'node:timers/promises';
import { Seeded } from '@cosi-ts/harness';
import type { Runtime, RuntimeReport } from '@cosi-ts/runtime';
import { type CoreState, type State, systemRandom, wrapState } from '@cosi-ts/state';
import { allTypes, type Contents, differences, expectedContents, textTypes } from './expected.js';
import { groups, Parts } from './kinds.js';
import { stormyRuntime, Troubles } from './stormy-runtime.js';
import { Writer } from './writer.js';

const lookMs = 200;
const progressMs = 5000;

export interface StormOptions {
  readonly changes: number;
  readonly seed: number;
  /** What the runtime works with. */
  readonly core: CoreState;
  /** What each writer works with, and who looks in the end. */
  readonly connect: () => CoreState;
  /** Errors that controllers may meet, beside those that are their own. */
  readonly isExpected: (trouble: string) => boolean;
  /** Goes on while the writers write, and ends when they have: how much is written, from 0 to 1. */
  readonly meanwhile?: ((done: () => number, signal: AbortSignal) => Promise<void>) | undefined;
  /** How long controllers may take to converge after the last change while nothing moves. Default: 60 000. */
  readonly patienceMs?: number | undefined;
  readonly say: (line: string) => void;
}

export interface StormResult {
  readonly changes: number;
  readonly problems: readonly string[];
  readonly summary: string;
}

/** Hammers the state under a runtime, waits until its controllers have converged, and looks at what they did. */
export async function storm(options: StormOptions): Promise<StormResult> {
  const { changes, seed, core, connect, patienceMs = 60_000, say } = options;
  const random = new Seeded(seed);
  const troubles = new Troubles();
  const chance = { ...systemRandom, float: () => random.float() };
  const runtime = stormyRuntime(core, chance, troubles.logger);
  const problems: string[] = [];
  const running = runtime.run();
  running.catch((error: unknown) => problems.push(`the runtime ended: ${error}`));

  const writers = groups.map((_, i) => new Writer(wrapState(connect()), new Seeded(seed * 100 + i), i));
  const written = () => writers.reduce((sum, writer) => sum + writer.changes, 0);
  const begin = performance.now();
  const seconds = () => `${((performance.now() - begin) / 1000).toFixed(1)} s`;
  const progress = setInterval(
    () => say(`${written()} changes after ${seconds()}, ${resyncs(runtime.report())} watches made anew`),
    progressMs,
  );
  const stop = new AbortController();
  const meanwhile = options.meanwhile?.(() => written() / changes, stop.signal);
  await Promise.all(writers.map((writer, i) => writer.run(shareOf(changes, writers.length, i))));
  stop.abort();
  await meanwhile;
  const writtenAfter = seconds();

  const state = wrapState(connect());
  const world = {
    parts: new Map(writers.flatMap(({ parts }) => [...parts])),
    factors: new Map(writers.flatMap(({ factors }) => [...factors])),
  };
  problems.push(...(await convergence(state, expectedContents(world), runtime, patienceMs)));
  clearInterval(progress);
  const report = runtime.report();
  const restarts = report.controllers.reduce((sum, controller) => sum + controller.restarts, 0);
  problems.push(...wrongs(report), ...troubles.all.filter((trouble) => !options.isExpected(trouble)));
  await runtime.close();
  await running;
  const passes = report.controllers.reduce((sum, { counts }) => sum + counts.reconciled, 0);
  for (const trouble of troubles.all) say(`met: ${trouble}`);
  const repeated = writers.reduce((sum, writer) => sum + writer.repeated, 0);
  return {
    changes: written(),
    problems,
    summary:
      `${written()} changes in ${writtenAfter}, converged after ${seconds()}, ${passes} reconciles, ` +
      `${resyncs(report)} watches made anew, ${restarts} controllers started again, ` +
      `${troubles.doubts} answers to writes of theirs lost, ${repeated} writes of writers repeated`,
  };
}

const shareOf = (changes: number, writers: number, number: number) =>
  Math.floor(changes / writers) + (number < changes % writers ? 1 : 0);

const resyncs = ({ watches }: RuntimeReport) => watches.reduce((sum, { failures }) => sum + failures, 0);

/** Waits until nothing differs. Gives what differs when nothing has moved for long. */
async function convergence(
  state: State,
  expected: ReadonlyMap<string, Contents>,
  runtime: Runtime,
  patienceMs: number,
): Promise<readonly string[]> {
  let [last, movedMs] = ['', performance.now()];
  for (;;) {
    const [found, held] = [await contents(state), await heldParts(state)];
    const wrong = [...differences(expected, found), ...held];
    if (wrong.length === 0) return [];
    const reconciled = runtime.report().controllers.reduce((sum, { counts }) => sum + counts.reconciled, 0);
    const now = `${reconciled}\n${wrong.join('\n')}`;
    if (now !== last) [last, movedMs] = [now, performance.now()];
    if (performance.now() - movedMs > patienceMs) return wrong;
    await delay(lookMs);
  }
}

async function contents(state: State): Promise<ReadonlyMap<string, Contents>> {
  const found = new Map<string, Contents>();
  for (const type of allTypes) {
    found.set(type.type, new Map((await state.list(type.kind)).map(({ metadata, spec }) => [metadata.id, spec.value])));
  }
  for (const type of textTypes) {
    found.set(type.type, new Map((await state.list(type.kind)).map(({ metadata, spec }) => [metadata.id, spec.text])));
  }
  return found;
}

/** All that was torn down must be gone in the end. */
async function heldParts(state: State): Promise<readonly string[]> {
  const parts = await state.list(Parts.kind);
  const torn = parts.filter(({ metadata }) => metadata.phase === 'tearingDown');
  return torn.slice(0, 3).map(({ metadata }) => `${metadata.id} is still held by ${metadata.finalizers.join(', ')}`);
}

/** What must not be, whatever happens. */
function wrongs({ controllers, watches }: RuntimeReport): readonly string[] {
  return [
    ...controllers.flatMap(({ name, status, restarts, overdue }) => [
      ...(restarts === 0 ? [] : [`${name} was started again ${restarts} times`]),
      ...(status === 'running' ? [] : [`${name} is ${status}`]),
      ...(overdue.length === 0 ? [] : [`${name} has ${overdue.length} overdue items`]),
    ]),
    ...watches.flatMap(({ type, status, reason }) => (status === 'live' ? [] : [`the watch of ${type}: ${reason}`])),
  ];
}
