import { request } from 'node:http';
import { complaints } from '@cosi-ts/app-kit/testing';
import { describe, expect, it } from 'vitest';
import { defineFunction } from './executors/function/defined-function.js';
import { AppFixture } from './testing/app-fixture.js';

const hello = `
name: hello
description: Says hello.
inputs:
  who: { type: string, default: world }
steps:
  greet:
    run: |
      echo "hello \${{ inputs.who }}"
      echo "text=hello \${{ inputs.who }}" >> "$WORKFLOW_OUTPUT"
  shout:
    needs: [greet]
    function: shout
    with: { text: "\${{ steps.greet.outputs.text }}" }
outputs:
  text: \${{ steps.shout.outputs.text }}
`;

const shout = defineFunction<{ text: string }>({
  name: 'shout',
  handler: ({ text }, { log }) => {
    log.info(`shouting ${text}`);
    return { text: text.toUpperCase() };
  },
});

/** A function that fails as often as it is told to. */
function flaky(failures: number) {
  let calls = 0;
  return defineFunction({
    name: 'flaky',
    handler: () => {
      calls++;
      if (calls <= failures) throw new Error(`failure ${calls}`);
      return { calls };
    },
  });
}

const release = `
name: release
steps:
  ask:
    approve: Release it?
  ship:
    needs: [ask]
    run: echo shipped
`;

const fan = `
name: fan
inputs:
  count: { type: number, default: 250 }
steps:
  work:
    forEach: \${{ range(inputs.count) }}
    function: square
    with: { n: "\${{ item }}" }
`;

const square = defineFunction<{ n: number }>({
  name: 'square',
  handler: ({ n }) => {
    if (n === 7) throw new Error('seven is not squared');
    return { square: n * n };
  },
});

describe('workflows', () => {
  it('are applied as YAML, listed, read, drawn and deleted', async () => {
    await using fixture = await AppFixture.start();
    expect(await fixture.call('POST', '/workflows', hello)).toMatchObject({
      status: 201,
      body: { name: 'hello', result: 'created', description: 'Says hello.' },
    });
    expect((await fixture.call('POST', '/workflows', hello)).body).toMatchObject({ result: 'unchanged' });
    const changed = hello.replace('Says', 'Shouts');
    expect((await fixture.call('PUT', '/workflows/hello?dryRun=true', changed)).body).toMatchObject({
      result: 'updated',
    });
    expect((await fixture.call('GET', '/workflows/hello')).body).toMatchObject({
      description: 'Says hello.',
      source: hello,
      inputs: [{ name: 'who', type: 'string', required: false, default: 'world' }],
    });
    expect((await fixture.call('PUT', '/workflows/hello', changed)).body).toMatchObject({ result: 'updated' });
    expect((await fixture.call('GET', '/workflows')).body.workflows).toMatchObject([
      { name: 'hello', description: 'Shouts hello.', steps: [{ step: 'greet' }, { step: 'shout' }] },
    ]);
    expect((await fixture.call('GET', '/workflows/hello/graph')).body).toMatchObject({
      edges: [{ from: 'greet', to: 'shout', kind: 'needs' }],
    });
    expect(await (await fetch(`${fixture.url}/workflows/hello/graph.dot`)).text()).toContain('"greet" -> "shout"');
    expect((await fixture.call('DELETE', '/workflows/hello')).status).toBe(200);
    expect(await fixture.call('GET', '/workflows/hello')).toMatchObject({
      status: 404,
      type: 'application/problem+json; charset=utf-8',
      body: { status: 404, title: 'Not Found', code: 'not-found', detail: 'there is no workflow "hello"' },
    });
  });

  it('are refused with line, column and what to write instead', async () => {
    await using fixture = await AppFixture.start();
    const broken = hello.replace('needs: [greet]', 'needs: [greeet]');
    const answer = await fixture.call('POST', '/workflows', broken);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: 'invalid-definition',
        problems: [{ line: 12, column: 13, path: expect.stringContaining('needs') }],
      },
    });
    expect(answer.body.hint).toContain('nothing was changed');
    expect((await fixture.call('POST', '/validate', broken)).body).toMatchObject({
      ok: false,
      problems: [{ line: 12 }],
    });
    expect((await fixture.call('POST', '/validate', hello)).body).toMatchObject({
      ...{ ok: true, name: 'hello', problems: [] },
      inputs: [{ name: 'who', type: 'string' }],
    });
    expect((await fixture.call('PUT', '/workflows/other', hello)).status).toBe(400);
    expect((await fixture.call('GET', '/workflows')).body.workflows).toEqual([]);
  });
});

describe('runs', () => {
  it('go from their inputs to their outputs', async () => {
    await using fixture = await AppFixture.start({}, { functions: [shout] });
    const run = await fixture.start(hello, { inputs: { who: 'you' } });
    expect(run).toMatch(/^hello-[a-z0-9]{6}$/);
    const body = await fixture.untilState(run, 'succeeded');
    expect(body).toMatchObject({
      workflow: 'hello',
      inputs: { who: 'you' },
      outputs: { text: 'HELLO YOU' },
      steps: [
        { step: 'greet', kind: 'run', needs: [], execution: { state: 'succeeded', attempt: 1 } },
        { step: 'shout', kind: 'function', needs: ['greet'], state: 'succeeded' },
      ],
    });
    expect((await fixture.call('GET', `/runs/${run}/graph`)).body.nodes).toMatchObject([
      { step: 'greet', state: 'succeeded' },
      { step: 'shout', state: 'succeeded' },
    ]);
    expect((await fixture.call('GET', `/runs/${run}/steps/greet/executions/-`)).body).toMatchObject({
      executor: 'run',
      outputs: { text: 'hello you' },
      past: [],
    });
    expect(complaints(fixture.logger)).toEqual([]);
  });

  it.each([
    [{}, 400, 'invalid-argument', 'a run is of a "workflow"'],
    [{ workflow: 'none' }, 404, 'not-found', 'there is no workflow "none"'],
    [{ source: hello, workflow: 'hello' }, 400, 'invalid-argument', 'a run is of'],
    [{ source: 'name: x' }, 400, 'invalid-definition', 'the definition has'],
    [{ source: hello, id: 'a.b' }, 400, 'invalid-argument', 'id: must be'],
    [{ source: hello, inputs: [] }, 400, 'invalid-argument', 'inputs: must be an object'],
    [{ source: hello, inputs: { who: 7 } }, 400, 'invalid-inputs', 'must be a string'],
    [{ source: hello, inputs: { whom: 'x' } }, 400, 'invalid-inputs', 'there is no input whom'],
    [{ source: hello, input: {} }, 400, 'invalid-argument', 'input: there is no such field'],
    ['{', 400, 'invalid-argument', 'the body is no JSON'],
  ])('that are asked for wrongly are refused: %j with %s', async (body, status, code, detail) => {
    await using fixture = await AppFixture.start();
    const answer = await fixture.call('POST', '/runs', body, { 'content-type': 'application/json' });
    expect(answer).toMatchObject({ status, type: 'application/problem+json; charset=utf-8', body: { status, code } });
    expect(answer.body.detail).toContain(detail);
    expect((await fixture.call('GET', '/runs')).body).toMatchObject({ runs: [], total: 0 });
  });

  it('are listed in pages, the newest first, and filtered', async () => {
    await using fixture = await AppFixture.start({}, { functions: [shout] });
    await fixture.call('POST', '/workflows', hello);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { body } = await fixture.call('POST', '/runs', { workflow: 'hello', id: `r${i}`, paused: i === 4 });
      ids.unshift(body.id);
    }
    const first = (await fixture.call('GET', '/runs?limit=2')).body;
    expect(first.runs.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.total).toBe(5);
    const second = (await fixture.call('GET', `/runs?limit=2&after=${first.next}`)).body;
    const third = (await fixture.call('GET', `/runs?limit=2&after=${second.next}`)).body;
    expect([...second.runs, ...third.runs].map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(third.next).toBeNull();
    await fixture.untilState('r0', 'succeeded');
    await fixture.untilState('r4', 'paused');
    expect((await fixture.call('GET', '/runs?state=paused,failed')).body.runs).toMatchObject([{ id: 'r4' }]);
    expect((await fixture.call('GET', '/runs?workflow=other')).body.total).toBe(0);
    expect(await fixture.call('POST', '/runs', { workflow: 'hello', id: 'r0' })).toMatchObject({
      status: 409,
      body: { detail: 'there is a run "r0" already' },
    });
    for (const bad of ['limit=0', 'limit=x', 'state=gone', 'after=nonsense', 'nested=maybe']) {
      expect((await fixture.call('GET', `/runs?${bad}`)).status).toBe(400);
    }
  });

  it('are paused, resumed and cancelled', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start(
      'name: long\nsteps:\n  wait: { run: sleep 100 }\n  after: { needs: [wait], run: echo }',
    );
    await fixture.untilStep(run, 'wait', 'running');
    expect(await fixture.call('POST', `/runs/${run}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'run-state' },
    });
    expect((await fixture.call('POST', `/runs/${run}/pause`)).status).toBe(202);
    await fixture.untilState(run, 'paused');
    expect((await fixture.call('POST', `/runs/${run}/resume`)).status).toBe(202);
    await fixture.untilState(run, 'running');
    expect((await fixture.call('POST', `/runs/${run}/cancel`)).body).toMatchObject({ id: run });
    const body = await fixture.untilState(run, 'cancelled');
    expect(body.steps).toMatchObject([{ state: 'cancelled' }, { state: 'cancelled' }]);
    for (const action of ['cancel', 'pause', 'resume']) {
      const answer = await fixture.call('POST', `/runs/${run}/${action}`);
      expect(answer).toMatchObject({ status: 409, body: { code: 'run-over' } });
      expect(answer.body.hint).toContain('retry');
    }
    expect((await fixture.call('POST', '/runs/none/cancel')).status).toBe(404);
  });

  it('are retried from what failed', async () => {
    await using fixture = await AppFixture.start({}, { functions: [flaky(1)] });
    const run = await fixture.start('name: twice\nsteps:\n  a: { run: echo }\n  b: { needs: [a], function: flaky }');
    const failed = await fixture.untilState(run, 'failed');
    expect(failed.steps).toMatchObject([{ state: 'succeeded' }, { execution: { error: { message: 'failure 1' } } }]);
    expect((await fixture.call('POST', `/runs/${run}/retry`)).body.state).not.toBe('failed');
    expect((await fixture.untilState(run, 'succeeded')).steps).toMatchObject([
      { execution: { attempt: 1 } },
      { execution: { attempt: 2 } },
    ]);
    expect((await fixture.call('GET', `/runs/${run}/steps/b/executions/-`)).body.past).toMatchObject([
      { attempt: 1, error: { message: 'failure 1' } },
    ]);
  });
});

describe('runs that are over', () => {
  it('are deleted with what belongs to them', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start('name: wait\nsteps:\n  go: { wait: go }');
    await fixture.untilStep(run, 'go', 'waiting');
    expect(await fixture.call('DELETE', `/runs/${run}`)).toMatchObject({
      status: 409,
      body: { hint: expect.stringContaining('cancel it first') },
    });
    await fixture.call('POST', `/runs/${run}/cancel`);
    await fixture.untilState(run, 'cancelled');
    await using events = await fixture.events();
    await events.upTo(({ event }) => event === 'ready');
    expect((await fixture.call('DELETE', `/runs/${run}`)).status).toBe(202);
    await events.upTo(({ event, data }) => event === 'runs' && data.gone.includes(run));
    expect((await fixture.call('GET', `/runs/${run}`)).status).toBe(404);
    expect((await fixture.call('GET', '/runs')).body.total).toBe(0);
    expect((await fixture.call('DELETE', `/runs/${run}`)).status).toBe(404);
  });
});

describe('schedules', () => {
  it('are made, changed, listed and deleted', async () => {
    await using fixture = await AppFixture.start();
    const made = await fixture.call('PUT', '/schedules/nightly', {
      workflow: 'hello',
      cron: '0 3 * * *',
      inputs: { who: 'you' },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'nightly', timeZone: 'UTC', overlap: 'skip', suspended: false },
    });
    expect(
      await fixture.call('PATCH', '/schedules/nightly', {
        suspended: true,
        timeZone: 'Europe/Berlin',
        catchUp: '1h30m',
      }),
    ).toMatchObject({ status: 200, body: { cron: '0 3 * * *', suspended: true, catchUpMs: 5_400_000 } });
    expect((await fixture.call('GET', '/schedules')).body.schedules).toMatchObject([
      { name: 'nightly', inputs: { who: 'you' } },
    ]);
    for (const [body, field] of [
      [{ cron: '0 3 * * *' }, 'workflow'],
      [{ workflow: 'hello', cron: 'daily' }, 'cron'],
      [{ workflow: 'hello', cron: '0 3 * * *', timeZone: 'Nowhere' }, 'timeZone'],
      [{ workflow: 'hello', cron: '0 3 * * *', overlap: 'queue' }, 'overlap'],
      [{ workflow: 'hello', cron: '0 3 * * *', catchUp: 'soon' }, 'catchUp'],
    ] as const) {
      expect(await fixture.call('PUT', '/schedules/nightly', body)).toMatchObject({ status: 400, body: { field } });
    }
    expect((await fixture.call('DELETE', '/schedules/nightly')).status).toBe(202);
    expect((await fixture.call('GET', '/schedules')).body.schedules).toEqual([]);
  });
});

describe('executions', () => {
  it('come in pages, and by state', async () => {
    await using fixture = await AppFixture.start({}, { functions: [square] });
    const run = await fixture.start(fan);
    await fixture.untilState(run, 'failed');
    const at = `/runs/${run}/steps/work/executions`;
    const first = (await fixture.call('GET', `${at}?limit=5`)).body;
    expect(first.executions.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(first).toMatchObject({ total: 250, offset: 0, next: 5, step: { step: 'work', total: 250 } });
    expect((await fixture.call('GET', `${at}?offset=249`)).body).toMatchObject({
      executions: [{ index: 249 }],
      next: null,
    });
    expect((await fixture.call('GET', `${at}?state=failed`)).body).toMatchObject({
      total: 1,
      executions: [{ index: 7, state: 'failed', error: { message: 'seven is not squared' } }],
    });
    expect((await fixture.call('GET', `${at}/3`)).body).toMatchObject({ item: 3, outputs: { square: 9 } });
    expect((await fixture.call('GET', `${at}/999`)).status).toBe(404);
    expect((await fixture.call('GET', `${at}/x`)).status).toBe(400);
    expect(await fixture.call('GET', `/runs/${run}/steps/none`)).toMatchObject({
      status: 404,
      body: { hint: 'it has work' },
    });
  });
});

describe('logs', () => {
  it('are read from an offset and from their end', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start('name: lines\nsteps:\n  say: { run: "for i in 1 2 3 4 5; do echo line $i; done" }');
    await fixture.untilState(run, 'succeeded');
    const at = `/runs/${run}/steps/say/log`;
    const { body } = await fixture.call('GET', `${at}?limit=2`);
    expect(body).toMatchObject({ attempt: 1, isOver: true, offset: 0 });
    expect(body.lines.filter(({ stream }: { stream: string }) => stream === 'stdout')).toMatchObject([
      { text: 'line 1' },
      { text: 'line 2' },
    ]);
    const rest = (await fixture.call('GET', `${at}?offset=${body.nextOffset}`)).body;
    expect(rest.lines[0]).toMatchObject({ text: 'line 3', offset: body.nextOffset });
    const tail = (await fixture.call('GET', `${at}?tail=1`)).body;
    expect(tail.lines).toHaveLength(1);
    expect((await fixture.call('GET', `${at}?attempt=9`)).status).toBe(404);
  });

  it('are followed while they are written, and taken up again', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start(
      'name: slow\nsteps:\n  say: { run: "echo begin; while [ ! -e go ]; do sleep 0.05; done; echo end", workingFolder: FOLDER }'.replace(
        'FOLDER',
        fixture.folder,
      ),
    );
    const at = `/runs/${run}/steps/say/log?follow=true`;
    await using events = await fixture.events(at);
    const begin = (await events.upTo(({ event }) => event === 'lines')).at(-1);
    expect(begin?.data).toMatchObject([{ stream: 'stdout', text: 'begin' }]);
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${fixture.folder}/go`, '');
    const rest = await events.upTo(({ event }) => event === 'end');
    expect(rest.flatMap(({ data }) => (Array.isArray(data) ? data : [])).map(({ text }) => text)).toContain('end');
    await using again = await fixture.events(at, begin?.id);
    const lines = (await again.upTo(({ event }) => event === 'end')).flatMap(({ data }) =>
      Array.isArray(data) ? data : [],
    );
    expect(lines.map(({ text }) => text)).not.toContain('begin');
    expect(lines.map(({ text }) => text)).toContain('end');
  });
});

describe('signals', () => {
  it('approve and refuse what a run waits for', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start(release);
    const waiting = await fixture.untilStep(run, 'ask', 'waiting');
    expect(waiting.waits).toMatchObject([
      { step: 'ask', approval: true, question: expect.stringContaining('Release it?') },
    ]);
    expect(await fixture.call('POST', `/runs/${run}/approve`, { step: 'ship' })).toMatchObject({
      status: 400,
      body: { field: 'step' },
    });
    expect(await fixture.call('POST', `/runs/${run}/approve`, { by: 'ann' })).toMatchObject({
      status: 201,
      body: { step: 'ask', approved: true },
    });
    await fixture.untilState(run, 'succeeded');
    expect(await fixture.call('POST', `/runs/${run}/approve`, {})).toMatchObject({
      status: 409,
      body: { code: 'run-over' },
    });

    const other = await fixture.start(release);
    await fixture.untilStep(other, 'ask', 'waiting');
    await fixture.call('POST', `/runs/${other}/reject`, { comment: 'not today' });
    expect((await fixture.untilState(other, 'failed')).message).toContain('not today');
  });

  it('are asked for by each item, and given by its index', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start(`name: each\nsteps:\n  ask: { forEach: [a, b], approve: "Ship \${{ item }}?" }`);
    await fixture.until(run, async () => {
      const { body } = await fixture.call('GET', `/runs/${run}/signals`);
      expect(body.waits).toHaveLength(2);
    });
    expect(await fixture.call('POST', `/runs/${run}/approve`, { step: 'ask' })).toMatchObject({
      status: 409,
      body: { code: 'which-step', field: 'index', hint: 'say which item of step ask is meant: index 0, 1' },
    });
    const second = await fixture.call('POST', `/runs/${run}/approve`, { index: 1, by: 'ann' });
    expect(second).toMatchObject({ status: 201, body: { step: 'ask', index: 1, signal: 'ask_1' } });
    await fixture.until(run, async () => {
      const { body } = await fixture.call('GET', `/runs/${run}/steps/ask/executions/1`);
      expect(body).toMatchObject({ state: 'succeeded', outputs: { approved: true, by: 'ann' } });
    });
    expect((await fixture.call('POST', `/runs/${run}/approve`, {})).body).toMatchObject({ step: 'ask', index: 0 });
    await fixture.untilState(run, 'succeeded');
  });

  it('carry data, count once, and are known by name', async () => {
    await using fixture = await AppFixture.start();
    const source = `name: wait\nsteps:\n  first: { wait: { signal: go } }\noutputs: { n: "\${{ steps.first.outputs.n }}" }`;
    const run = await fixture.start(source, { paused: true });
    expect(await fixture.call('POST', `/runs/${run}/signals/stop`, {})).toMatchObject({
      status: 404,
      body: { hint: 'signals that they wait for: go' },
    });
    expect((await fixture.call('POST', `/runs/${run}/signals/go`, { payload: { n: 7 }, by: 'ann' })).status).toBe(201);
    expect(await fixture.call('POST', `/runs/${run}/signals/go`, { payload: { n: 8 } })).toMatchObject({
      status: 409,
      body: { code: 'already-sent' },
    });
    expect((await fixture.call('GET', `/runs/${run}/signals`)).body.signals).toMatchObject([
      { name: 'go', payload: { n: 7 }, by: 'ann' },
    ]);
    await fixture.call('POST', `/runs/${run}/resume`);
    expect((await fixture.untilState(run, 'succeeded')).outputs).toEqual({ n: 7 });
  });
});

describe('secrets', () => {
  it('go in, and their texts never come out', async () => {
    await using fixture = await AppFixture.start();
    const answers = [
      await fixture.call('PUT', '/secrets/deploy', { values: { token: 'hush-hush', user: 'ann' } }),
      await fixture.call('PATCH', '/secrets/deploy', { values: { user: null, key: 'hush-too' } }),
      await fixture.call('GET', '/secrets'),
      await fixture.call('GET', '/secrets/deploy'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[3]?.body).toMatchObject({ name: 'deploy', keys: ['key', 'token'] });
    const refused = await fixture.call('PUT', '/secrets/deploy', { values: { token: ['hush-list'] } });
    expect(refused).toMatchObject({ status: 400, body: { field: 'values.token' } });
    const unkept = await fixture.call('PUT', '/secrets/deploy', { values: JSON.parse('{"__proto__": "hush"}') });
    expect(unkept).toMatchObject({ status: 400, body: { detail: expect.stringContaining('nor __proto__') } });
    const run = await fixture.start(
      'name: use\nsteps:\n  say: { run: "echo token is $TOKEN", secretEnv: { TOKEN: deploy/token } }',
    );
    await fixture.untilState(run, 'succeeded');
    const log = await fixture.call('GET', `/runs/${run}/steps/say/log`);
    const told = JSON.stringify([...answers, refused, log, fixture.logger.records]);
    expect(told).not.toMatch(/hush/);
    expect(log.body.lines.map(({ text }: { text: string }) => text).join('\n')).toContain('token is ***');
    expect((await fixture.call('DELETE', '/secrets/deploy')).status).toBe(200);
    expect((await fixture.call('GET', '/secrets')).body.secrets).toEqual([]);
  });
});

describe('events', () => {
  it('tell of runs, and go on where somebody left', async () => {
    await using fixture = await AppFixture.start({}, { functions: [shout] });
    await fixture.call('POST', '/workflows', hello);
    let position: string | undefined;
    {
      await using events = await fixture.events();
      const begin = await events.upTo(({ event }) => event === 'ready');
      expect(begin.find(({ event }) => event === 'workflows')?.data.changed).toMatchObject([{ name: 'hello' }]);
      position = begin.at(-1)?.id;
    }
    const { body } = await fixture.call('POST', '/runs', { workflow: 'hello' });
    await fixture.untilState(body.id, 'succeeded');
    await using events = await fixture.events('/events', position);
    const next = await events.upTo(({ event }) => event === 'runs');
    expect(next.map(({ event }) => event)).not.toContain('reset');
    expect(next.at(-1)?.data.changed).toMatchObject([{ id: body.id, state: 'succeeded' }]);
    await using fresh = await fixture.events('/events', 'nonsense');
    expect((await fresh.upTo(({ event }) => event === 'reset')).at(-1)?.data.reason).toContain('malformed');
  });

  it('gather what a fan-out does', async () => {
    await using fixture = await AppFixture.start({}, { functions: [square] });
    const run = await fixture.start(
      fan.replace('250', '1000').replace('forEach', 'continueOnError: true\n    forEach'),
      {
        paused: true,
      },
    );
    await using events = await fixture.events(`/events?run=${run}`);
    await events.upTo(({ event }) => event === 'ready');
    await fixture.call('POST', `/runs/${run}/resume`);
    const told = await events.upTo(({ event, data }) => event === 'runs' && data.changed[0]?.state === 'succeeded');
    const executions = told.filter(({ event }) => event === 'executions');
    expect(told.length).toBeLessThan(200);
    for (const { data } of executions) expect(data.changed.length).toBeLessThanOrEqual(202);
  });

  it('are not of runs that are not there', async () => {
    await using fixture = await AppFixture.start();
    expect((await fixture.call('GET', '/events?run=none')).status).toBe(404);
  });
});

describe('the server', () => {
  it('is ready, has metrics, and knows its controllers', async () => {
    await using fixture = await AppFixture.start();
    expect((await fixture.call('GET', '/healthz')).body).toEqual({ status: 'ok' });
    expect(await (await fetch(`${fixture.url}/metrics`)).text()).toContain('# TYPE');
    expect(JSON.stringify((await fixture.call('GET', '/graph.json')).body)).toContain('RunController');
    expect((await fixture.call('GET', '/workers')).body).toEqual({ workers: [] });
  });

  it('keeps other web sites out', async () => {
    await using fixture = await AppFixture.start();
    const headers = { origin: 'https://evil.example' };
    expect(await fixture.call('POST', '/workflows', hello, headers)).toMatchObject({
      status: 403,
      body: { code: 'cross-origin' },
    });
    const status = await new Promise((resolve, reject) => {
      const asked = request(`${fixture.url}/runs`, { headers: { host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject);
      asked.end();
    });
    expect(status).toBe(403);
    expect((await fixture.call('POST', '/runs', '<run/>', { 'content-type': 'application/xml' })).status).toBe(415);
    expect((await fixture.call('GET', '/nothing')).status).toBe(404);
    expect((await fixture.call('PUT', '/runs', {})).status).toBe(405);
  });
});
