import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answers, Child, type Seeded } from '@cosi-ts/harness';
import { checkEffects } from './check-effects.js';
import { checkRuns } from './check-runs.js';
import { againLine, killLine, overLine, readEffects } from './effects.js';
import { Pauses } from './pauses.js';
import { People, type Request, type Runs } from './requests.js';
import { isFinal, isRunOver, type Snapshot, type StatusView } from './snapshot.js';
import { killGroups, stepProcesses } from './step-processes.js';
import { stepScript } from './step-script.js';
import { workloads } from './workloads.js';

/** Built together with the app. */
const engineProgram = new URL('../../../apps/workflow-engine/dist/crash/engine.js', import.meta.url);

interface EngineAnswers extends Answers {
  readonly statuses: (argument?: undefined) => StatusView[];
  readonly snapshot: (argument?: undefined) => Snapshot;
}

type Engine = Child<EngineAnswers>;

/** How many runs there are at once. */
const openRuns = 10;
/** How long nothing at all may happen before what is not over counts as stuck. */
const stuckMs = 60_000;

/** The life of one data folder: engines work on it and are killed, one after the other. */
export class Campaign {
  readonly folder: string;
  readonly #random: Seeded;
  readonly #people: People;
  readonly #effects: string;
  readonly #waiting: Request[] = [];
  readonly #over = new Set<string>();
  readonly #pauses = new Pauses();
  #statuses: readonly StatusView[] = [];

  constructor(folder: string, random: Seeded) {
    this.folder = folder;
    this.#random = random;
    this.#effects = join(folder, 'effects');
    const script = join(folder, 'step.sh');
    mkdirSync(join(folder, 'locks'), { recursive: true });
    writeFileSync(this.#effects, '');
    writeFileSync(script, stepScript(this.#effects, join(folder, 'locks')));
    this.#people = new People(random, workloads(script));
    this.#waiting.push(...this.#people.definitions());
  }

  /** How many runs were asked for so far. */
  get runs(): number {
    return this.#people.asked.length;
  }

  /** How many attempts have begun so far. */
  get attempts(): number {
    return readEffects(readFileSync(this.#effects, 'utf8')).filter(({ what }) => what === 'begin').length;
  }

  /** Lets an engine work for a while, and kills it. Gives what is wrong. */
  async round(): Promise<readonly string[]> {
    const isIdle = this.#random.float() < 0.15;
    const isEarly = !isIdle && this.#random.float() < 0.1;
    const engine = this.#startEngine(isIdle);
    if (isEarly) await delay(this.#random.below(1000));
    else {
      await engine.ready;
      const kill = delay(this.#random.below(2500)).then(() => engine.kill());
      await this.#work(engine, isIdle);
      await kill;
    }
    await this.#kill(engine);
    return engine.exit?.signal === 'SIGKILL'
      ? []
      : [`the engine ended by itself with ${engine.exit?.code}: ${engine.errors}`];
  }

  /** Lets everything come to its end, and gives what is wrong then. */
  async settle(): Promise<readonly string[]> {
    const engine = this.#startEngine(false);
    try {
      await engine.ready;
      const last = this.#people.settle();
      for (const request of last) this.#noteRequest(request);
      this.#waiting.push(...last);
      await this.#request(engine);
      const stuck = await this.#untilOver(engine);
      const left = stepProcesses(this.folder).filter((each) => !each.isOwnSession);
      const snapshot = await engine.ask('snapshot');
      writeFileSync(join(this.folder, 'snapshot.json'), JSON.stringify(snapshot, undefined, 2));
      await engine.kill();
      return [
        ...stuck,
        ...(stuck.length > 0 ? [] : await this.#checkRest(snapshot)),
        ...left.map(({ pid, command }) => `all runs are over, and process ${pid} is left: ${command}`),
        ...checkRuns(this.#people.asked, snapshot),
        ...checkEffects(
          readEffects(readFileSync(this.#effects, 'utf8')),
          snapshot.executions,
          snapshot.results,
          new Set(['hangs']),
        ),
      ];
    } finally {
      await engine.kill();
      this.#keepErrors(engine);
    }
  }

  /** An engine that finds everything over changes nothing. */
  async #checkRest(snapshot: Snapshot): Promise<readonly string[]> {
    const engine = this.#startEngine(false);
    try {
      await engine.ready;
      await delay(500);
      const after = await engine.ask('snapshot');
      const same = new Set([...snapshot.statuses, ...snapshot.executions, ...snapshot.results].map(asText));
      const other = [...after.statuses, ...after.executions, ...after.results].map(asText);
      return other.filter((text) => !same.has(text)).map((text) => `all was over, and now there is ${text}`);
    } finally {
      await engine.kill();
      this.#keepErrors(engine);
    }
  }

  /** Ends what is left of it. */
  close(): void {
    killGroups(stepProcesses(this.folder));
  }

  #startEngine(isIdle: boolean): Engine {
    return new Child(engineProgram, {
      args: [join(this.folder, 'data'), this.#effects, isIdle ? 'idle' : 'work'],
      execArgv: ['--enable-source-maps'],
    });
  }

  /** Asks an engine for this and that until it is no more. */
  async #work(engine: Engine, isIdle: boolean): Promise<void> {
    try {
      await this.#request(engine);
      if (!isIdle) await this.#noteWhatIsSaid(engine);
      for (;;) {
        this.#statuses = await engine.ask('statuses');
        // Before anything else is asked for, which what was said knows nothing of.
        if (this.#pauses.hasNew(this.#statuses, (run) => this.#people.isPaused(run)))
          await this.#noteWhatIsSaid(engine);
        const { open, broken } = this.#runs();
        const next = open.size < openRuns ? this.#people.start() : this.#people.act({ open, broken });
        if (next !== undefined) this.#noteRequest(next);
        if (next !== undefined) this.#waiting.push(next);
        await this.#request(engine);
        if (!isIdle && this.#random.float() < 0.2) await this.#noteWhatIsSaid(engine);
        await delay(this.#random.below(open.size < openRuns ? 20 : 150));
      }
    } catch (error) {
      // Whoever asks a process that is being killed hears nothing more.
      if (!(await isKilled(engine))) throw error;
    }
  }

  #runs(): Runs {
    const ended = this.#statuses.filter(isRunOver);
    const over = new Set(ended.map(({ run }) => run));
    const open = new Set(this.#people.asked.map(({ id }) => id).filter((id) => !over.has(id)));
    const broken = ended.filter(({ state }) => state === 'failed' || state === 'cancelled');
    return { open, broken: new Set(broken.map(({ run }) => run)) };
  }

  /** Asks for what was not acknowledged so far, in its order. */
  async #request(engine: Engine): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      await engine.ask(next.ask, next.with);
      this.#waiting.shift();
    }
  }

  /** Notes what allows something to begin, before it is asked for. */
  #noteRequest(request: Request): void {
    if (request.ask === 'retry') appendFileSync(this.#effects, againLine(request.with.id));
    const goesOn =
      request.ask === 'retry' || request.ask === 'cancel' || (request.ask === 'pause' && !request.with.paused);
    if (goesOn) appendFileSync(this.#effects, this.#pauses.released(request.with.id));
  }

  /** What the engine says is over stays so, and what it says is paused until somebody asks for it to go on. */
  async #noteWhatIsSaid(engine: Engine): Promise<void> {
    const snapshot = await engine.ask('snapshot');
    const { executions, results } = snapshot;
    appendFileSync(
      this.#effects,
      this.#pauses.seen(snapshot, (run) => this.#people.isPaused(run)),
    );
    const keys = new Map(executions.map(({ id, key, attempt }) => [id, { key, attempt }]));
    for (const { id, state, attempt } of results) {
      const execution = keys.get(id);
      if (execution === undefined || execution.attempt !== attempt || this.#over.has(execution.key)) continue;
      if (state !== 'succeeded') continue;
      this.#over.add(execution.key);
      appendFileSync(this.#effects, overLine(execution.key));
    }
  }

  /** Kills an engine, and sometimes every process of its steps, as when the machine fails. */
  async #kill(engine: Engine): Promise<void> {
    await engine.kill();
    this.#keepErrors(engine);
    if (this.#random.float() < 0.7) {
      appendFileSync(this.#effects, killLine('engine'));
      // Processes go on meanwhile.
      if (this.#random.float() < 0.3) await delay(this.#random.below(1500));
      return;
    }
    for (;;) {
      const processes = stepProcesses(this.folder).filter((each) => !each.isOwnSession);
      if (processes.length === 0) break;
      killGroups(processes);
      await delay(5);
    }
    appendFileSync(this.#effects, killLine('all'));
  }

  #keepErrors(engine: Engine): void {
    appendFileSync(join(this.folder, 'engine.log'), `${engine.errors}--- killed\n`);
  }

  /** Waits until every run is over, and gives those that get no further. */
  async #untilOver(engine: Engine): Promise<readonly string[]> {
    let before = '';
    for (let since = performance.now(); performance.now() - since < stuckMs; ) {
      const statuses = await engine.ask('statuses');
      const known = new Set(statuses.map(({ run }) => run));
      if (this.#people.asked.every(({ id }) => known.has(id)) && statuses.every(isRunOver)) return [];
      const now = `${readFileSync(this.#effects).length} ${JSON.stringify(statuses)}`;
      if (now !== before) since = performance.now();
      before = now;
      this.#statuses = statuses;
      await delay(200);
    }
    const open = this.#statuses.filter((status) => !isRunOver(status));
    return open.map(({ run, state, steps }) => {
      const of = steps.filter((step) => !isFinal(step.state)).map((step) => `${step.step} ${step.state}`);
      return `${run} is stuck: ${state}, ${of.join(', ')}`;
    });
  }
}

const asText = (value: unknown) => JSON.stringify(value);

/** Whether an engine that did not answer was killed; one that has not ended within a moment was not. */
async function isKilled(engine: Engine): Promise<boolean> {
  await Promise.race([engine.ended, delay(3000, undefined, { ref: false })]);
  return engine.exit !== undefined;
}
