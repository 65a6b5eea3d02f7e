import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { definitionOf } from '../definition/definition-cache.js';
import type { JsonObject } from '../json.js';
import { RunStatus, Workflow } from '../resources/index.js';
import { EngineFixture } from './engine-fixture.js';
import { HeldExecutor } from './held-executor.js';

export const patternsFolder = fileURLToPath(new URL('../../examples/patterns/', import.meta.url));

/** The run of an example of a pattern, on the engine in virtual time. Its processes end when the test says so. */
export class PatternFixture implements AsyncDisposable {
  readonly executor = new HeldExecutor('run');
  #engine!: EngineFixture;

  static async start(file: string, inputs: JsonObject = {}): Promise<PatternFixture> {
    const source = await readFile(join(patternsFolder, file), 'utf8');
    const { name } = parse(source) as { name: string };
    const fixture = new PatternFixture();
    fixture.#engine = await EngineFixture.start(
      {},
      { executors: () => [fixture.executor], readDefinition: (text) => definitionOf(text) },
    );
    await fixture.#engine.state.create(Workflow.new(name, { source }));
    await fixture.#engine.run(name, inputs, 'r');
    return fixture;
  }

  get engine() {
    return this.#engine.engine;
  }

  get clock() {
    return this.#engine.clock;
  }

  /** What executes now, in the order of the alphabet. */
  get executing(): string[] {
    return [...this.executor.open.keys()].map(nameOf).sort();
  }

  /** What was begun so far, in order. */
  get begun(): string[] {
    return this.executor.begun.map(nameOf);
  }

  /** Waits until these steps execute, and expects that no others do. */
  async executes(...names: readonly string[]): Promise<void> {
    await this.#engine.wait(this.executor.until(names.map((name) => `r.${name}`)));
    const others = this.executing.filter((name) => !names.includes(name));
    if (others.length > 0) throw new Error(`${others.join(', ')} execute, too`);
  }

  succeed(name: string, outputs: JsonObject = {}): void {
    this.executor.succeed(`r.${name}`, outputs);
  }

  /** Resolves when the steps are in these states. */
  async reaches(states: Readonly<Record<string, string>>): Promise<void> {
    await this.#engine.untilStatus('r', ({ steps }) =>
      Object.entries(states).every(([name, state]) => steps.some((each) => each.step === name && each.state === state)),
    );
  }

  signal(name: string): Promise<void> {
    return this.engine.signal('r', name);
  }

  /** The engine ends and another one starts. What was executed is lost, and made again. */
  async restart(): Promise<void> {
    await this.#engine.restart();
  }

  /** Resolves when something executes, or the run is over: then with nothing. */
  async next(): Promise<string | undefined> {
    await this.#engine.wait(Promise.race([this.executor.until(1), this.#engine.untilOver('r')]));
    return this.executing[0];
  }

  /** How the run ended, and the state of each of its steps. */
  async ends(): Promise<{ readonly state: string; readonly steps: Readonly<Record<string, string>> }> {
    const { spec } = await this.#engine.untilOver('r');
    return { state: spec.state, steps: Object.fromEntries(spec.steps.map(({ step, state }) => [step, state])) };
  }

  /** The state of the run now. */
  async state(): Promise<string> {
    return (await this.#engine.state.get(RunStatus.at('r'))).spec.state;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#engine.close();
  }
}

function nameOf(id: string): string {
  return id.slice('r.'.length);
}
