import { defineResource } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { type FakeAnswer, FakeServer } from '../testdata/fake-server.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { connectState } from './connect-state.js';
import { type TokenRequest, Tokens } from './tokens.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
const forever = new AbortController().signal;
const ok: FakeAnswer = { messages: [], status: { code: 0, message: '' } };
const open: FakeAnswer = { messages: [new Uint8Array(0)] };
const unauthenticated: FakeAnswer = { messages: [], status: { code: 16, message: 'who are you?' } };
const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe('Tokens', () => {
  it('are asked for once, and once more for all calls that were refused', async () => {
    const asked: boolean[] = [];
    const tokens = new Tokens(async ({ fresh }) => {
      asked.push(fresh);
      return `t${asked.length}`;
    });
    expect(await Promise.all([tokens.current(forever), tokens.current(forever)])).toEqual(['t1', 't1']);
    const calls = [tokens.fresh('t1', forever), tokens.fresh('t1', forever), tokens.current(forever)];
    expect(await Promise.all(calls)).toEqual(['t2', 't2', 't2']);
    expect(await tokens.fresh('t1', forever)).toBe('t2');
    expect(asked).toEqual([false, true]);
  });

  it('that cannot be got are asked for again by the next call', async () => {
    let attempts = 0;
    const asked: boolean[] = [];
    const tokens = new Tokens(({ fresh }) => {
      asked.push(fresh);
      if (++attempts === 2) throw new Error('the issuer is down');
      return `t${attempts}`;
    });
    expect(await tokens.current(forever)).toBe('t1');
    const error = await failure(tokens.fresh('t1', forever));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('the issuer is down') });
    expect(await tokens.current(forever)).toBe('t3');
    expect(asked).toEqual([false, true, true]);
  });

  it('are waited for by each call as long as it wants', async () => {
    let request: TokenRequest | undefined;
    const tokens = new Tokens((asked) => {
      request = asked;
      return new Promise(() => {});
    });
    const controller = new AbortController();
    const waiting = failure(tokens.current(controller.signal));
    controller.abort('enough');
    expect([await waiting, request?.signal.aborted]).toEqual(['enough', false]);
    tokens.close();
    expect(request?.signal.aborted).toBe(true);
  });

  it('that are no text for a header are refused, and not shown', async () => {
    for (const token of ['', 'a b', 'a\nb', 'ü']) {
      expect(() => new Tokens(token)).toThrow(TypeError);
      const error = await failure(new Tokens(() => token).current(forever));
      expect(error).toMatchObject({ code: 'unavailable' });
    }
    expect(() => new Tokens('se cret')).not.toThrow(/cret/);
  });
});

describe('a client with a token', () => {
  const authorizations = (server: FakeServer) => server.calls.map(({ headers }) => headers.authorization);

  it('N8: sends it with every call', async () => {
    await using server = await FakeServer.start(({ rpc }) => (rpc === 'Watch' ? open : ok));
    await using client = connectState(server.url, { token: 'abc' });
    await client.list(Thing.kind);
    await client.watchKind(Thing.kind);
    expect(authorizations(server)).toEqual(['Bearer abc', 'Bearer abc']);
  });

  it('N8: makes a call once more with a fresh one when it is refused', async () => {
    const accepted = (authorization: unknown) => authorization === 'Bearer t2';
    await using server = await FakeServer.start(({ rpc, headers }) =>
      accepted(headers.authorization) ? (rpc === 'Watch' ? open : ok) : unauthenticated,
    );
    let last = 0;
    const token = () => `t${++last}`;
    await using client = connectState(server.url, { token });
    const watching = client.watchKind(Thing.kind);
    await Promise.all([client.list(Thing.kind), client.list(Thing.kind), watching]);
    expect(last).toBe(2);
    expect(authorizations(server).filter(accepted)).toHaveLength(3);
  });

  it('N4: a watch ends when also a fresh token is refused, and not before', async () => {
    const answers = [{ ...open, status: { code: 16, message: 'expired' } }, unauthenticated, open];
    const bookmark = Uint8Array.of(1);
    await using server = await FakeServer.start(() => answers.shift() ?? unauthenticated);
    let last = 0;
    const token = () => `t${++last}`;
    await using client = connectState(server.url, { token, resumeBackoff: { initialMs: 1, maxMs: 1 } });
    const watch = await client.watchKind(Thing.kind, { startFromBookmark: bookmark });
    const next = watch.next();
    while (server.calls.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(authorizations(server)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
    server.cut();
    expect((await next).value).toMatchObject({ type: 'errored', error: { code: 'unauthenticated' } });
    expect(authorizations(server).slice(3)).toEqual(['Bearer t2', 'Bearer t3']);
  });

  it('can be closed while a function never gives one', async () => {
    const clock = new ManualClock();
    const client = connectState('http://127.0.0.1:1', { clock, token: () => new Promise<string>(() => {}) });
    const calls = [failure(client.list(Thing.kind)), failure(client.create(Thing.new('x', { n: 1 })))];
    let isClosed = false;
    const closing = client.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    clock.advance(5000);
    await closing;
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'closed' });
    expect(clock.pending).toBe(0);
  });

  it('lets calls that wait for a token have it while it is being closed', async () => {
    await using server = await FakeServer.start(() => ok);
    let give: (token: string) => void = () => {};
    const asked = new Promise<string>((resolve) => {
      give = resolve;
    });
    const client = connectState(server.url, { token: () => asked });
    const list = client.list(Thing.kind);
    const closing = client.close();
    give('t1');
    expect(await list).toEqual([]);
    await closing;
  });

  it('N8: a text that is refused stays refused', async () => {
    await using server = await FakeServer.start(() => unauthenticated);
    await using client = connectState(server.url, { token: 'abc' });
    expect(await failure(client.list(Thing.kind))).toMatchObject({ code: 'unauthenticated', message: 'who are you?' });
    expect(server.calls).toHaveLength(1);
  });

  it('N8: refuses to send it where others can read it', async () => {
    const token = 'abc';
    expect(() => connectState('http://state.example.org', { token })).toThrow(/https:, or set tokenOverHttp/);
    for (const url of ['https://state.example.org', 'http://localhost:1', 'http://[::1]:1', 'unix:/run/x.sock']) {
      await connectState(url, { token }).close();
    }
    await connectState('http://state.example.org', { token, tokenOverHttp: true }).close();
  });
});
