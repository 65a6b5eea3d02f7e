import { wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { RecordingLogger } from '@cosi-ts/testing';
import { expect, it } from 'vitest';
import { HeldExecutor } from './testing/held-executor.js';
import { WorkflowEngine } from './workflow-engine.js';

it('E13: a second engine of one process on the same state is refused, and one on another is not', async () => {
  const core = new InMemoryState();
  const start = (on: InMemoryState) =>
    WorkflowEngine.start({ state: wrapState(on), executors: [new HeldExecutor()], logger: new RecordingLogger() });
  await using _ = await start(core);
  const second = start(core);
  await expect(second).rejects.toMatchObject({ code: 'in-use' });
  await expect(second).rejects.toThrow('another engine of this process works on the state: close that one first');
  await using __ = await start(new InMemoryState());
});

it('E13: the state is free again after a start that failed', async () => {
  const state = wrapState(new InMemoryState());
  const start = (slots: Readonly<Record<string, number>>) =>
    WorkflowEngine.start({ state, executors: [new HeldExecutor()], logger: new RecordingLogger(), slots });
  await expect(start({ nobody: 1 })).rejects.toMatchObject({ code: 'invalid-argument' });
  await using _ = await start({ function: 1 });
});
