import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protobufMarshaler } from '@cosi-ts/marshalers';
import { namespaced, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import { steadyRandom, untilResource } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import type { Attempt, Recovery } from './executors/executor.js';
import { RunStatus, StepResult, Workflow } from './resources/index.js';
import { isFinal } from './resources/states.js';
import { definition, items } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';
import { HeldExecutor } from './testing/held-executor.js';
import { WorkflowEngine } from './workflow-engine.js';

const chain = definition({ steps: { a: {}, b: { needs: ['a'] } } });

describe('after a restart', () => {
  it('E18: what was lost is made again, without being counted, and what has succeeded is not', async () => {
    await using engine = await EngineFixture.start({ chain });
    await engine.run('chain');
    await engine.wait(engine.executor.until(['chain.a']));
    engine.executor.succeed('chain.a', { n: 1 });
    await engine.wait(engine.executor.until(['chain.b']));
    await engine.restart();
    await engine.wait(engine.executor.until(['chain.b']));
    expect(engine.executor.begun).toEqual(['chain.b#2']);
    expect((await engine.state.get(StepResult.at('chain.b'))).spec).toMatchObject({
      error: { reason: 'lost' },
      attempt: 1,
    });
    engine.executor.succeed('chain.b');
    expect((await engine.untilOver('chain')).spec.state).toBe('succeeded');
  });

  it('E18: what still runs is found again, and not begun a second time', async () => {
    const recovering = (answer: (attempt: Attempt) => Promise<Recovery>) => new HeldExecutor('function', answer);
    let executor = recovering(async () => ({ found: 'unknown' }));
    await using engine = await EngineFixture.start({ chain }, { executors: () => [executor] });
    await engine.run('chain');
    await engine.wait(executor.until(['chain.a']));
    executor = recovering(async () => ({
      found: 'running',
      adopt: async () => ({ state: 'succeeded', outputs: { adopted: true } }),
    }));
    await engine.wait(engine.engine.close());
    await engine.startEngine();
    await engine.wait(executor.until(['chain.b']));
    expect((await engine.state.get(StepResult.at('chain.a'))).spec).toMatchObject({
      state: 'succeeded',
      attempt: 1,
      outputs: '{"adopted":true}',
    });
    expect(executor.begun).toEqual(['chain.b']);
    executor.succeed('chain.b');
    await engine.untilOver('chain');
  });

  it('E18: what ended meanwhile counts, with the time of its end', async () => {
    const endedAt = new Date('2000-01-01T00:00:30Z');
    let executor = new HeldExecutor('function', async () => ({ found: 'unknown' }));
    await using engine = await EngineFixture.start({ chain }, { executors: () => [executor] });
    await engine.run('chain');
    await engine.wait(executor.until(['chain.a']));
    executor = new HeldExecutor('function', async () => ({
      found: 'ended',
      outcome: { state: 'failed', reason: 'exit', message: 'exit code 3', exitCode: 3 },
      progress: { log: 'chain/a.log' },
      endedAt,
    }));
    await engine.wait(engine.engine.close());
    await engine.startEngine();
    expect((await engine.untilOver('chain')).spec).toMatchObject({ state: 'failed' });
    const { spec } = await engine.state.get(StepResult.at('chain.a'));
    expect(spec).toMatchObject({ error: { reason: 'exit', exitCode: 3 }, log: 'chain/a.log' });
    expect(Number(spec.endedAt?.seconds)).toBe(endedAt.getTime() / 1000);
  });

  it('E13: there is never more than one attempt at once, and E9: never more than the limit', async () => {
    await using engine = await EngineFixture.start({
      fan: definition({ steps: { a: { forEach: items([1, 2, 3, 4, 5], 2) } } }),
    });
    await engine.run('fan');
    await engine.wait(engine.executor.until(2));
    for (let restarts = 0; restarts < 3; restarts++) {
      await engine.restart();
      await engine.wait(engine.executor.until(2));
      expect(engine.executor.open.size).toBe(2);
      engine.executor.succeed([...engine.executor.open.keys()][0] ?? '');
      await engine.wait(engine.executor.until(2));
    }
    for (const id of [...engine.executor.open.keys()]) engine.executor.succeed(id);
    const { spec } = await engine.untilOver('fan');
    expect(spec).toMatchObject({ state: 'succeeded', steps: [{ succeeded: 5 }] });
  });

  it('E18: a run goes on where it was, from a store on disk', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workflow-engine-'));
    const records: unknown[] = [];
    const record = (...given: unknown[]) => void records.push(given);
    const logger = { trace: record, debug: record, info: record, warn: record, error: record, child: () => logger };
    const start = async (executor: HeldExecutor) => {
      const store = await openLevelDBStore(folder, { marshaler: protobufMarshaler() });
      const state = wrapState(namespaced((name) => new InMemoryState(name, { store: store.namespace(name) })));
      const engine = await WorkflowEngine.start({
        state,
        executors: [executor],
        logger: logger as never,
        readDefinition: () => chain,
        random: { ...steadyRandom, bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
      });
      return {
        state,
        engine,
        close: async () => {
          await engine.close();
          await store.close();
        },
      };
    };
    try {
      const first = new HeldExecutor();
      const before = await start(first);
      await before.state.create(Workflow.new('chain', { source: 'chain' }));
      await before.engine.startRun('chain', { id: 'run' });
      await first.until(['run.a']);
      first.succeed('run.a', { n: 1 });
      await first.until(['run.b']);
      await before.close();
      const second = new HeldExecutor();
      const after = await start(second);
      await second.until(['run.b']);
      expect(second.begun).toEqual(['run.b#2']);
      second.succeed('run.b');
      const over = await untilResource(after.state, RunStatus.at('run'), ({ spec }) => isFinal(spec.state));
      expect(over.spec.state).toBe('succeeded');
      await after.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
