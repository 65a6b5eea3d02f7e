import { label } from '@cosi-ts/resource';
import { untilLength, untilResource } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { Schedule, ScheduleStatus, WorkflowRun } from './resources/index.js';
import { definition } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

// The clock begins at 2000-01-01T00:00:00Z, a Saturday.
const job = definition({ steps: { a: {} } });
const everyTenMinutes = { workflow: 'job', cron: '*/10 * * * *' };

const runs = async (engine: EngineFixture) =>
  (await engine.state.list(WorkflowRun.kind, { labels: [label('schedule').is('tens')] })).map(
    ({ metadata }) => metadata.id,
  );

const untilRuns = (engine: EngineFixture, count: number) =>
  engine.wait(untilLength(engine.state, WorkflowRun.kind, count), 3_600_000);

describe('schedules', () => {
  it('make runs at their times, and tell the next', async () => {
    await using engine = await EngineFixture.start({ job });
    engine.executor.answer = () => ({ state: 'succeeded', outputs: {} });
    await engine.state.create(Schedule.new('tens', everyTenMinutes));
    await untilRuns(engine, 2);
    expect(await runs(engine)).toEqual(['tens-20000101T0010', 'tens-20000101T0020']);
    expect((await engine.untilOver('tens-20000101T0020')).spec.state).toBe('succeeded');
    const { spec } = await engine.wait(
      untilResource(engine.state, ScheduleStatus.at('tens'), (of) => of.spec.lastRun.endsWith('20')),
    );
    expect(spec).toMatchObject({ lastRun: 'tens-20000101T0020', message: '' });
    expect(Number(spec.nextAt?.seconds)).toBe(Date.parse('2000-01-01T00:30:00Z') / 1000);
  });

  it('make none while the last has not ended, or end that', async () => {
    await using engine = await EngineFixture.start({ job });
    await engine.state.create(Schedule.new('tens', everyTenMinutes));
    await untilRuns(engine, 1);
    await engine.clock.advance(600_000);
    await engine.wait(
      untilResource(engine.state, ScheduleStatus.at('tens'), ({ spec }) => spec.message.includes('has not ended')),
    );
    expect(await runs(engine)).toHaveLength(1);
    await engine.state.updateWithConflicts(Schedule.at('tens'), ({ spec }) => {
      spec.overlap = 'replace';
    });
    await untilRuns(engine, 2);
    expect((await engine.untilOver('tens-20000101T0010')).spec.state).toBe('cancelled');
  });

  it('do not make up for what was missed, unless they are told how late that may be', async () => {
    await using engine = await EngineFixture.start({ job });
    engine.executor.answer = () => ({ state: 'succeeded', outputs: {} });
    await engine.state.create(Schedule.new('tens', everyTenMinutes));
    await engine.state.create(Schedule.new('late', { ...everyTenMinutes, catchUpMs: 3_600_000n }));
    await engine.wait(untilLength(engine.state, ScheduleStatus.kind, 2));
    await engine.wait(engine.engine.close());
    await engine.clock.advance(35 * 60_000);
    await engine.startEngine();
    await engine.wait(
      untilResource(engine.state, ScheduleStatus.at('tens'), ({ spec }) => spec.message.includes('was missed')),
    );
    await untilRuns(engine, 1);
    expect((await engine.state.list(WorkflowRun.kind)).map(({ metadata }) => metadata.id)).toEqual([
      'late-20000101T0030',
    ]);
  });

  it('tell what is wrong with them', async () => {
    await using engine = await EngineFixture.start({ job });
    await engine.state.create(Schedule.new('bad', { workflow: 'job', cron: '99 * * * *' }));
    const { spec } = await engine.wait(untilResource(engine.state, ScheduleStatus.at('bad')));
    expect(spec.message).toContain('minute');
    await engine.state.create(Schedule.new('tens', { ...everyTenMinutes, workflow: 'none' }));
    await engine.wait(
      untilResource(engine.state, ScheduleStatus.at('tens'), (of) => of.spec.message === 'there is no workflow none'),
      3_600_000,
    );
  });

  it('that are suspended make nothing', async () => {
    await using engine = await EngineFixture.start({ job });
    await engine.state.create(Schedule.new('tens', { ...everyTenMinutes, suspended: true }));
    await engine.wait(
      untilResource(engine.state, ScheduleStatus.at('tens'), ({ spec }) => spec.message === 'is suspended'),
    );
    await engine.clock.advance(1_200_000);
    expect(await runs(engine)).toEqual([]);
  });
});
