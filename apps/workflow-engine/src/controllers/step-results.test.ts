import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { StepResult, StepRun } from '../resources/index.js';
import { writeResult } from './step-results.js';

const stepRun = (attempt: number, retries = 0) =>
  StepRun.new('r.a', { run: 'r', step: 'a', index: -1, attempt, retries }, { labels: { run: 'r', step: 'a' } });

const setup = () => wrapState(new InMemoryState());

describe('results of attempts', () => {
  it('E13: are refused when the attempt has one already, or a newer attempt is known', async () => {
    const state = setup();
    expect(await writeResult(state, stepRun(1), { state: 'running' })).toBe(true);
    expect(await writeResult(state, stepRun(1), { state: 'failed' })).toBe(true);
    expect(await writeResult(state, stepRun(1), { state: 'succeeded' })).toBe(false);
    expect(await writeResult(state, stepRun(2), { state: 'running' })).toBe(true);
    expect(await writeResult(state, stepRun(1), { state: 'succeeded' })).toBe(false);
    expect(await writeResult(state, stepRun(2), { state: 'succeeded', outputs: '{}' })).toBe(true);
    expect((await state.get(StepResult.at('r.a'))).spec).toMatchObject({
      attempt: 2,
      state: 'succeeded',
      past: [{ attempt: 1 }],
    });
  });

  it('E13: of two that are written at the same time one counts', async () => {
    const state = setup();
    const writes = ['failed', 'succeeded', 'cancelled'].map((each) => writeResult(state, stepRun(1), { state: each }));
    expect((await Promise.all(writes)).filter((written) => written)).toHaveLength(1);
  });

  it('keep the last twenty attempts before them, and nothing of the one before', async () => {
    const state = setup();
    for (let attempt = 1; attempt <= 25; attempt++) {
      await writeResult(state, stepRun(attempt), { state: 'failed', log: `log ${attempt}`, pid: attempt });
    }
    await writeResult(state, stepRun(26), { state: 'running' });
    const { spec, metadata } = await state.get(StepResult.at('r.a'));
    expect(spec).toMatchObject({ attempt: 26, log: '', pid: 0 });
    expect(spec.past.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, i) => i + 6));
    expect(metadata.labels).toEqual({ run: 'r', step: 'a' });
  });

  it('E15: are not ended by what ended an attempt before the run was tried again', async () => {
    const state = setup();
    await writeResult(state, stepRun(1), { state: 'failed' });
    // A cancellation in the pause between two attempts says that there is no other one.
    await state.updateWithConflicts(StepResult.at('r.a'), ({ spec }) => {
      spec.state = 'cancelled';
      spec.deadlineAt = create(TimestampSchema, { seconds: 1n });
    });
    await writeResult(state, stepRun(2, 1), { state: 'failed' });
    expect((await state.get(StepResult.at('r.a'))).spec.deadlineAt).toBeUndefined();
  });
});
