import { describe, expect, it } from 'vitest';
import { definition, expression, items, nested, nothing, sleepFor, template, waitFor } from '../testing/definitions.js';
import { ModelBench } from '../testing/model-bench.js';

describe('attempts', () => {
  it('E14: a failed attempt is made again after a pause that grows, as often as it says', () => {
    const run = new ModelBench(definition({ steps: { a: { retry: { limit: 2 } } } }));
    run.end('a', 'exit');
    expect(run.results.get('a')).toMatchObject({ state: 'failed', nextAttemptMs: 2000 });
    run.advance(999);
    expect(run.active).toEqual([]);
    run.advance(1);
    expect(run.active).toEqual(['a']);
    run.end('a', 'timeout');
    run.advance(1999);
    expect(run.active).toEqual([]);
    run.restart();
    run.advance(1);
    expect(run.begun).toEqual(['a', 'a#2', 'a#3']);
    run.end('a', 'exit');
    expect(run.outcome?.state).toBe('failed');
  });

  it('E14: only after the failures that it names, and while its condition holds', () => {
    const steps = {
      a: { retry: { limit: 5, on: ['timeout' as const] } },
      b: { retry: { limit: 5, when: expression(({ error }) => (error as { exitCode: unknown }).exitCode === 75) } },
      c: { retry: { limit: 5 } },
    };
    const run = new ModelBench(definition({ steps }));
    run.end('a', 'exit');
    run.end('b', 'exit');
    run.end('c', 'rejected');
    expect(run.outcome?.state).toBe('failed');
  });

  it('E14: what was lost is made again at once, without being counted', () => {
    const run = new ModelBench(definition({ steps: { a: { retry: { limit: 1 } } } }));
    run.end('a', 'lost');
    run.end('a', 'lost');
    run.restart();
    run.end('a', 'exit');
    run.advance(1000);
    expect(run.begun).toEqual(['a', 'a#2', 'a#3', 'a#4']);
    run.restart();
    run.end('a', 'exit');
    expect(run.outcome?.state).toBe('failed');
  });

  it('E13: results of other attempts than the newest change nothing', () => {
    const run = new ModelBench(definition({ steps: { a: {} } }));
    run.end('a', 'lost');
    run.model.result({ step: 'a', index: -1, attempt: 1, state: 'succeeded', retries: 0 });
    run.run();
    expect(run.outcome).toBeUndefined();
    expect(run.active).toEqual(['a']);
  });

  it('E11: an attempt has room before it is recorded, and what ended gives it back', () => {
    const run = new ModelBench(definition({ steps: { a: { forEach: items([1, 2, 3]) } } }), { room: 2 });
    expect(run.active).toEqual(['a.0', 'a.1']);
    run.end('a.0');
    expect(run.active).toEqual(['a.1', 'a.2']);
  });

  it('E16: all attempts of an execution together have a limit, with the pauses between them', () => {
    const steps = {
      a: { deadlineMs: 2500, retry: { limit: 9, backoff: { initialMs: 1000, factor: 1, maxMs: 1000 } } },
    };
    const run = new ModelBench(definition({ steps }));
    expect(run.decided).toMatchObject([{ kind: 'begin', deadlineMs: 3500 }]);
    run.end('a', 'exit');
    run.advance(1000);
    run.end('a', 'exit');
    run.advance(1000);
    run.end('a', 'exit');
    run.restart();
    run.advance(500);
    expect(run.results.get('a')).toMatchObject({ state: 'failed', failure: { reason: 'timeout' }, endedMs: 3500 });
    expect(run.outcome?.state).toBe('failed');
  });

  it('E16: a run has a limit, after which it fails as if each step had timed out', () => {
    const steps = { a: {}, b: { action: sleepFor(60) }, c: { needs: ['b'], on: 'always' as const } };
    const run = new ModelBench(definition({ timeoutMs: 5000, steps, finally: { clean: {} } }));
    expect(run.model.nextMs).toBe(6000);
    run.advance(5000);
    expect(run.active).toEqual(['a']);
    run.end('a', 'timeout');
    expect(run.states).toEqual({ a: 'failed', b: 'failed', c: 'failed', clean: 'running' });
    run.restart();
    run.end('clean');
    expect(run.outcome).toEqual({ state: 'failed', message: 'the run took longer than 5s', outputs: '' });
  });
});

describe('waiting', () => {
  it('E21: a sleep goes by the time, also while the engine is away', () => {
    const run = new ModelBench(definition({ steps: { a: { action: sleepFor(10) }, b: { needs: ['a'] } } }));
    expect(run.results.get('a')).toMatchObject({ state: 'waiting', waitingUntilMs: 11_000 });
    expect(run.model.nextMs).toBe(11_000);
    run.nowMs += 60_000;
    run.restart();
    expect(run.active).toEqual(['b']);
    expect(run.results.get('a')).toMatchObject({ state: 'succeeded', endedMs: 61_000 });
  });

  it('E21: sleeps until a time, and not at all when it has passed', () => {
    const until = (text: string) => ({ action: { kind: 'sleepUntil' as const, time: template(text) } });
    const steps = { a: until('1970-01-01T00:00:02Z'), b: until('1969-01-01T00:00:00Z'), c: until('soon') };
    const run = new ModelBench(definition({ steps }));
    expect(run.states).toEqual({ a: 'waiting', b: 'succeeded', c: 'failed' });
    run.advance(1000);
    expect(run.states.a).toBe('succeeded');
  });

  it('E20: a signal counts whether it came before the wait or after', () => {
    const steps = { a: {}, b: { needs: ['a'], action: waitFor('go') }, c: { needs: ['b'], action: waitFor('on') } };
    const outputs = new Map([
      ['by', template(({ steps: of }) => (of as never as { b: { outputs: { by: string } } }).b.outputs.by)],
    ]);
    const run = new ModelBench(definition({ steps, outputs }));
    run.signal('go', { by: 'ann' });
    run.end('a');
    expect(run.states).toEqual({ a: 'succeeded', b: 'succeeded', c: 'waiting' });
    run.restart();
    run.signal('on');
    expect(run.outcome).toMatchObject({ state: 'succeeded', outputs: '{"by":"ann"}' });
  });

  it('E20: a signal counts once', () => {
    const steps = { a: { action: waitFor('go') }, b: { needs: ['a'], action: waitFor('go') } };
    const run = new ModelBench(definition({ steps }));
    run.signal('go');
    expect(run.states).toEqual({ a: 'succeeded', b: 'waiting' });
    run.restart();
    expect(run.states).toEqual({ a: 'succeeded', b: 'waiting' });
    run.advance(5);
    run.signal('go');
    expect(run.outcome?.state).toBe('succeeded');
  });

  it('E20: an approval that is refused fails for good', () => {
    const action = {
      kind: 'wait' as const,
      signal: template('ok'),
      approval: template('Ship it?'),
      otherwise: undefined,
    };
    const run = new ModelBench(definition({ steps: { a: { action, retry: { limit: 3 } } } }));
    expect(run.results.get('a')).toMatchObject({ state: 'waiting', waitingFor: 'Ship it?' });
    run.signal('ok', { approved: false, comment: 'not today' });
    expect(run.outcome).toMatchObject({ state: 'failed', message: 'the step a failed: was refused: not today' });
  });

  it('E16: a wait that takes too long fails, or gives what it says otherwise', () => {
    const otherwise = { kind: 'wait' as const, signal: template('ok'), approval: undefined, otherwise: { n: 3 } };
    const steps = { a: { action: waitFor('go'), timeoutMs: 100 }, b: { action: otherwise, timeoutMs: 100 } };
    const run = new ModelBench(definition({ steps }));
    run.restart();
    run.advance(100);
    expect(run.results.get('a')).toMatchObject({ state: 'failed', failure: { reason: 'timeout' } });
    expect(run.results.get('b')).toMatchObject({ state: 'succeeded', outputs: '{"n":3}' });
  });

  it('a nested run has the outputs of the step, and fails it', () => {
    const steps = { a: { action: nested('child') }, b: { action: nested('child'), retry: { limit: 1 } } };
    const run = new ModelBench(definition({ steps }));
    expect(run.results.get('a')).toMatchObject({ state: 'running', waitingFor: 'the run run.a' });
    run.restart();
    expect([...run.model.children]).toEqual([
      { step: 'a', index: -1 },
      { step: 'b', index: -1 },
    ]);
    run.endChild('a', 'succeeded', { n: 1 });
    run.endChild('b', 'failed');
    expect(run.results.get('a')).toMatchObject({ state: 'succeeded', outputs: '{"n":1}' });
    run.advance(1000);
    expect(run.children.get('b')?.retries).toBe(1);
    run.restart();
    expect(run.outcome).toBeUndefined();
    run.endChild('b');
    expect(run.outcome?.state).toBe('succeeded');
  });
});

describe('pausing', () => {
  it('E5: while a run is paused, nothing of it is started, and what executes goes on to its end', () => {
    const steps = { a: {}, b: { needs: ['a'] }, c: { retry: { limit: 1 } }, d: { forEach: items([1, 2], 1) } };
    const run = new ModelBench(definition({ steps }));
    run.pause(true);
    for (const id of ['a', 'd.0']) run.end(id);
    run.end('c', 'exit');
    run.advance(10_000);
    run.restart();
    expect(run.active).toEqual([]);
    expect(run.model.nextMs).toBeUndefined();
    run.pause(false);
    expect(run.active).toEqual(['c', 'b', 'd.1']);
  });

  it('E5: a run that begins paused begins nothing, and timers run on', () => {
    const steps = { a: { action: sleepFor(5) }, b: { needs: ['a'] } };
    const run = new ModelBench(definition({ steps }));
    run.pause(true);
    run.advance(5000);
    expect(run.states.a).toBe('waiting');
    run.pause(false);
    expect(run.active).toEqual(['b']);
  });

  it('E5: what asked for room gives it up', () => {
    const run = new ModelBench(definition({ steps: { a: { forEach: items([1, 2]) } } }), { room: 1 });
    run.pause(true);
    run.end('a.0');
    expect(run.active).toEqual([]);
    run.pause(false);
    expect(run.active).toEqual(['a.1']);
  });
});

describe('cancelling', () => {
  it('E17: ends what waits at once, asks what executes, last first, and runs finally', () => {
    const steps = {
      first: {},
      second: {},
      backingOff: { retry: { limit: 5 } },
      sleeping: { action: sleepFor(100) },
      waiting: { action: waitFor('go') },
      child: { action: nested('child') },
      later: { needs: ['first'] },
    };
    const run = new ModelBench(definition({ steps, finally: { clean: {} } }));
    run.end('backingOff', 'exit');
    run.cancel();
    expect(run.decided.filter(({ kind }) => kind === 'stop' || kind === 'stop-child')).toMatchObject([
      { kind: 'stop-child', step: 'child' },
      { kind: 'stop', step: 'second' },
      { kind: 'stop', step: 'first' },
    ]);
    const over = { backingOff: 'cancelled', sleeping: 'cancelled', waiting: 'cancelled', later: 'cancelled' };
    expect(run.states).toEqual({ ...over, first: 'running', second: 'running', child: 'waiting', clean: 'pending' });
    run.end('first', 'cancelled');
    run.restart();
    run.end('second');
    run.endChild('child', 'cancelled');
    expect(run.active).toEqual(['clean']);
    run.end('clean');
    expect(run.outcome).toEqual({ state: 'cancelled', message: '', outputs: '' });
    expect(run.states).toMatchObject({
      first: 'cancelled',
      second: 'succeeded',
      child: 'cancelled',
      clean: 'succeeded',
    });
  });

  it('E17: what is queued or paused is cancelled, too', () => {
    const run = new ModelBench(definition({ steps: { a: { forEach: items([1, 2, 3]) } }, finally: { clean: {} } }), {
      room: 1,
    });
    run.pause(true);
    run.cancel();
    run.end('a.0', 'cancelled');
    expect(run.active).toEqual(['clean']);
    run.end('clean');
    expect(run.outcome?.state).toBe('cancelled');
    expect(run.results.get('a')).toMatchObject({ state: 'cancelled', endedMs: 1000 });
  });

  it('E17: an attempt that was lost meanwhile is not made again', () => {
    const run = new ModelBench(definition({ steps: { a: {} } }));
    run.cancel();
    run.end('a', 'lost');
    expect(run.results.get('a')).toMatchObject({ state: 'cancelled', attempt: 1 });
    expect(run.outcome?.state).toBe('cancelled');
  });

  it('E17: a run that never began ends without executing anything', () => {
    const bench = new ModelBench(definition({ steps: { a: { when: expression(() => false) } } }));
    const model = bench.newModel();
    model.abandon();
    model.decide(5);
    expect(model.outcome?.state).toBe('cancelled');
  });
});

describe('trying a run again', () => {
  it('E15: executes again what failed and what was skipped because of it, and leaves what succeeded', () => {
    const steps = {
      a: {},
      b: { needs: ['a'], retry: { limit: 1 } },
      c: { needs: ['b'] },
      d: { needs: ['c'], action: nothing },
    };
    const run = new ModelBench(definition({ steps, finally: { clean: {} } }));
    run.end('a', 'succeeded', { n: 1 });
    run.end('b', 'exit');
    run.advance(1000);
    run.end('b', 'exit');
    run.end('clean', 'exit');
    expect(run.outcome?.state).toBe('failed');
    run.retry();
    expect(run.begun).toEqual(['a', 'b', 'b#2', 'clean', 'b#3']);
    run.end('b', 'exit');
    run.advance(1000);
    run.end('b');
    run.restart();
    run.end('c');
    run.end('clean');
    expect(run.outcome?.state).toBe('succeeded');
    expect(run.begun).toEqual(['a', 'b', 'b#2', 'clean', 'b#3', 'b#4', 'c', 'clean#2']);
  });

  it('E15: makes the failed items again, of the list as it was', () => {
    let list = ['x', 'y', 'z'];
    const run = new ModelBench(definition({ steps: { a: { forEach: items(() => list, 1, 1) }, b: { needs: ['a'] } } }));
    run.end('a.0', 'exit');
    run.end('a.1');
    run.end('a.2', 'exit');
    expect(run.outcome?.state).toBe('failed');
    list = [];
    run.retry();
    run.endAll();
    expect(run.begun).toEqual(['a.0', 'a.1', 'a.2', 'a.0#2', 'a.2#2', 'b']);
    expect(run.outcome?.state).toBe('succeeded');
  });

  it('E15: a cancelled run goes on where it was', () => {
    const steps = { a: {}, b: { needs: ['a'] }, s: { action: sleepFor(5) } };
    const run = new ModelBench(definition({ steps }));
    run.end('a');
    run.cancel();
    run.end('b', 'cancelled');
    run.retry();
    expect(run.states).toEqual({ a: 'succeeded', b: 'running', s: 'waiting' });
    run.endAll();
    run.advance(5000);
    expect(run.outcome?.state).toBe('succeeded');
  });

  it('E15: rounds go on with the one that failed', () => {
    const until = expression(({ index }) => index === 2);
    const run = new ModelBench(definition({ steps: { a: { repeat: { until, limit: 5, delayMs: 0 } } } }));
    run.end('a.0');
    run.end('a.1', 'exit');
    run.retry();
    run.endAll();
    expect(run.begun).toEqual(['a.0', 'a.1', 'a.1#2', 'a.2']);
    expect(run.outcome?.state).toBe('succeeded');
  });
});
