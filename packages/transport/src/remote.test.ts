import { getEventListeners } from 'node:events';
import { networkInterfaces } from 'node:os';
import {
  type CosiError,
  defineResource,
  isAlreadyExists,
  isClosed,
  isInvalidArgument,
  isInvalidBookmark,
  isNotFound,
  isOwnerConflict,
  isPendingFinalizers,
  isPhaseConflict,
  isUnavailable,
  isUnsupported,
  isVersionConflict,
  label,
  OverrunError,
} from '@cosi-ts/resource';
import { type Event, filter, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { connectState as connectFromPage } from './client/web/connect-state.js';
import { connectState } from './index.js';
import { ObservedCore } from './testdata/observed-core.js';
import { connected } from './testdata/pair.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
const disk = (id: string, size = 1) => Disk.new(id, { size });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as CosiError,
  );

describe('a remote state', () => {
  it('N1: gives back what is stored, typed, in the order of ids', async () => {
    const core = new InMemoryState();
    await using pair = await connected(core);
    const state = wrapState(pair.client);
    for (const id of ['b', '\u{1f642}', 'a', '\uff5a']) await state.create(disk(id, id.length));
    const updated = await state.modify(Disk.at('a'), (draft) => {
      draft.spec.size = 7;
      draft.metadata.labels.tier = 'web';
    });
    expect(updated.equals(Disk.from(await core.get(Disk.at('a'))))).toBe(true);
    expect(updated.metadata.created.equals((await core.get(Disk.at('a'))).metadata.created)).toBe(true);
    expect((await state.list(Disk.kind)).map(({ metadata }) => metadata.id)).toEqual(['a', 'b', '\uff5a', '\u{1f642}']);
    const web = await state.list(Disk.kind, { labels: [label('tier').is('web')], id: '^a$' });
    expect(web.map(({ spec }) => spec.size)).toEqual([7]);
    await state.destroy(Disk.at('b'));
    expect(isNotFound(await failure(core.get(Disk.at('b'))))).toBe(true);
  });

  it('S7: every error comes with its code and its pointer', async () => {
    const core = new InMemoryState();
    await using pair = await connected(core);
    const { client } = pair;
    const made = await client.create(disk('x'), { owner: 'me' });
    const owned = { owner: 'me' };
    const stale = made.withMetadata(made.metadata.with({ version: 9n }));
    const held = made.withMetadata(made.metadata.with({ finalizers: ['f'] }));
    await client.update(held, owned);
    const second = held.withMetadata(held.metadata.with({ version: 2n }));
    const { kind } = Disk;
    const errors: readonly (readonly [ReturnType<typeof failure>, (error: unknown) => boolean])[] = [
      [failure(client.get(Disk.at('none'))), isNotFound],
      [failure(client.create(disk('x'))), isAlreadyExists],
      [failure(client.create(made.withMetadata(made.metadata.with({ owner: 'other' })), owned)), isAlreadyExists],
      [failure(client.update(stale, owned)), isVersionConflict],
      [failure(client.update(second)), isOwnerConflict],
      [failure(client.update(second, { ...owned, expectedPhase: 'tearingDown' })), isPhaseConflict],
      [failure(client.destroy(Disk.at('x'))), isOwnerConflict],
      [failure(client.destroy(Disk.at('x'), owned)), isPendingFinalizers],
      [failure(client.teardown(Disk.at('none'))), isNotFound],
      [failure(client.list(kind, { id: '(' })), isInvalidArgument],
      [failure(client.watchKind(kind, { id: '(' })), isInvalidArgument],
      [failure(client.watchKind(kind, { bootstrapContents: true, tailEvents: 1 })), isInvalidArgument],
      [failure(client.watchKind(kind, { startFromBookmark: new Uint8Array(3) })), isInvalidBookmark],
      [failure(client.watch(Disk.at('x'), { startFromBookmark: new Uint8Array(0) })), isInvalidBookmark],
      [
        failure(client.list(kind, { labels: [{ key: 'k', op: 'near' as never, value: [], invert: false }] })),
        isUnsupported,
      ],
    ];
    for (const [i, [promise, guard]] of errors.entries()) {
      const error = await promise;
      expect([i, error?.code, guard(error)]).toEqual([i, error?.code, true]);
    }
    expect((await failure(client.get(Disk.at('none'))))?.subject).toEqual({
      namespace: 'a',
      type: 'Disks.test',
      id: 'none',
    });
    const preset = disk('y').withMetadata(disk('y').metadata.with({ owner: 'first' }));
    expect(isInvalidArgument(await failure(client.create(preset, owned)))).toBe(true);
    expect(isInvalidArgument(await failure(client.create(preset)))).toBe(true);
    expect((await client.create(preset, { owner: 'first' })).metadata.owner).toBe('first');
  });

  it('W6: an aggregated bootstrap is one array, however large, and noop comes alone', async () => {
    const core = new InMemoryState();
    const size = 'x'.repeat(150_000);
    const Blob = defineResource<{ text: string }>({ type: 'Blobs.test', namespace: 'a' });
    for (let i = 0; i < 20; i++) await core.create(Blob.new(`b${i}`, { text: size }));
    await using pair = await connected(core);
    await using watch = await pair.client.watchKindAggregated(Blob.kind, {
      bootstrapContents: true,
      bootstrapBookmark: true,
    });
    const bootstrap = (await watch.next()).value as readonly Event[];
    expect(bootstrap.map(({ type }) => type)).toEqual([...Array<string>(20).fill('created'), 'bootstrapped']);
    expect(((await watch.next()).value as readonly Event[]).map(({ type }) => type)).toEqual(['noop']);
    await core.create(Blob.new('later', { text: '' }));
    expect(((await watch.next()).value as readonly Event[]).map(({ type }) => type)).toEqual(['created']);
  });

  it('W12: a watcher that falls behind is told so, and its watch ends', async () => {
    const core = new InMemoryState({ history: { maxEvents: 10 } });
    const observed = new ObservedCore(core);
    await using pair = await connected(observed);
    await using watch = await pair.client.watchKind(Disk.kind);
    let types: string[] = [];
    // What fits into the buffers of the connection arrives; then the server has to wait.
    const Blob = defineResource<{ text: string }>({ type: 'Disks.test', namespace: 'a' });
    for (let i = 0; i < 60; i++) {
      await core.create(Blob.new(`b${i}`, { text: 'x'.repeat(100_000) }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    for await (const event of watch) {
      types = [...types.slice(-9), event.type];
      if (event.type === 'errored') {
        expect(event.error).toMatchObject({ code: 'overrun', subject: { namespace: 'a', type: 'Disks.test' } });
        expect(event.error.message).toMatch(/^buffer overrun: namespace "a" type "Disks.test"/);
      }
    }
    expect(types.at(-1)).toBe('errored');
    await observed.watching(0);
  });

  it('W12: the text of an overrun crosses a second server too', async () => {
    const observed = new ObservedCore(new InMemoryState());
    await using first = await connected(observed);
    await using second = await connected(first.client);
    expect(new OverrunError(Disk.kind, 1n, 2n, 3).message).toMatch(/^buffer overrun: namespace "/);
    await second.client.create(disk('x'));
    expect(isAlreadyExists(await failure(second.client.create(disk('x'))))).toBe(true);
    expect(
      isInvalidBookmark(await failure(second.client.watchKind(Disk.kind, { startFromBookmark: new Uint8Array(1) }))),
    ).toBe(true);
    await second.client.teardownAndDestroy(Disk.at('x'));
    expect(await observed.list(Disk.kind)).toEqual([]);
  });

  it('A3: a filter in front of it guards the native teardowns as well', async () => {
    const core = new ObservedCore(new InMemoryState());
    await using pair = await connected(core);
    await pair.client.create(disk('x'));
    const asked: string[] = [];
    const guarded = wrapState(
      filter(pair.client, ({ verb }) => {
        asked.push(verb.name);
        if (verb.name === 'destroy') throw new Error('no');
      }),
    );
    core.calls.length = 0;
    await expect(guarded.teardownAndDestroy(Disk.at('x'))).rejects.toThrow('no');
    expect([asked, core.calls]).toEqual([['get', 'update', 'watch', 'destroy'], []]);
    await guarded.teardown(Disk.at('x'));
    expect(core.calls.map(({ name }) => name)).toEqual(['get', 'update']);
  });

  it('A1: the caller’s address reaches the rule', async () => {
    const peers: unknown[] = [];
    const core = filter(new InMemoryState(), (_access, context) => {
      peers.push(context);
    });
    await using pair = await connected(core);
    await pair.client.list(Disk.kind);
    expect(peers).toEqual([{ peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) }]);
  });
});

describe('aborting', () => {
  it('N5: an aborted call rejects with the reason, and stops the work on the server', async () => {
    const core = new ObservedCore(new InMemoryState());
    const stopped = new Promise<unknown>((resolve) => {
      core.before = (_name, options) =>
        new Promise((_resolve, reject) => {
          const signal = options?.signal as AbortSignal;
          signal.addEventListener('abort', () => {
            reject(signal.reason);
            resolve(signal.reason);
          });
          controller.abort('enough');
        });
    });
    const controller = new AbortController();
    await using pair = await connected(core);
    await expect(pair.client.get(Disk.at('x'), { signal: controller.signal })).rejects.toBe('enough');
    expect(await stopped).toMatchObject({ code: 1 });
  });

  it('N5: a watch that is being established can be given up', async () => {
    const core = new ObservedCore(new InMemoryState());
    const controller = new AbortController();
    core.before = () => controller.abort('enough');
    await using pair = await connected(core);
    await expect(pair.client.watchKind(Disk.kind, { signal: controller.signal })).rejects.toBe('enough');
    await core.watching(0);
  });

  it('S1: a call with an aborted signal is not made', async () => {
    const core = new ObservedCore(new InMemoryState());
    await using pair = await connected(core);
    const signal = AbortSignal.abort('before');
    for (const call of [
      pair.client.get(Disk.at('x'), { signal }),
      pair.client.create(disk('x'), { signal }),
      pair.client.watch(Disk.at('x'), { signal }),
      pair.client.watchKindAggregated(Disk.kind, { signal }),
    ]) {
      await expect(call).rejects.toBe('before');
    }
    expect(core.calls).toEqual([]);
  });

  it('N5: nothing is left on a signal that outlives its calls', async () => {
    await using pair = await connected(new InMemoryState());
    const { signal } = new AbortController();
    await pair.client.create(disk('x'), { signal });
    await failure(pair.client.get(Disk.at('none'), { signal }));
    await pair.client.list(Disk.kind, { signal });
    const watch = await pair.client.watchKind(Disk.kind, { signal, bootstrapBookmark: true });
    await watch.next();
    await watch.close();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('closing', () => {
  it('ends the watches, waits for calls in progress, and refuses later ones', async () => {
    const core = new ObservedCore(new InMemoryState());
    await core.create(disk('x'));
    await using pair = await connected(core);
    const { client } = pair;
    const watch = await client.watchKind(Disk.kind);
    const pending = watch.next();
    let release: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      core.before = (name) => {
        if (name !== 'get') return undefined;
        resolve();
        return new Promise<void>((release_) => {
          release = release_;
        });
      };
    });
    const got = client.get(Disk.at('x'));
    await reached;
    const closed = client.close();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(isClosed(await failure(client.list(Disk.kind)))).toBe(true);
    expect(isClosed(await failure(client.watch(Disk.at('x'))))).toBe(true);
    release();
    expect((await got).metadata.id).toBe('x');
    await closed;
    await client.close();
    await core.watching(0);
  });

  it('gives up calls that wait for something', async () => {
    const core = new InMemoryState();
    await core.create(disk('x').withMetadata(disk('x').metadata.with({ finalizers: ['f'] })));
    await using pair = await connected(core);
    const waiting = failure(pair.client.teardownAndDestroy(Disk.at('x')));
    await wrapState(core).watchFor(Disk.at('x'), { phases: ['tearingDown'] });
    await pair.client.close();
    expect(isClosed(await waiting)).toBe(true);
  });
});

describe('connectState', () => {
  it('connects with the first call, and says when nobody is there', async () => {
    const client = connectState('http://127.0.0.1:1');
    const error = await failure(client.get(Disk.at('x')));
    expect([isUnavailable(error), error?.subject]).toEqual([true, { namespace: 'a', type: 'Disks.test', id: 'x' }]);
    expect(isUnavailable(await failure(client.watchKind(Disk.kind)))).toBe(true);
    await client.close();
  });

  const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
  it.skipIf(!hasIPv6)('N1: reaches a server on an IPv6 address', async () => {
    await using pair = await connected(new InMemoryState(), { server: { address: '[::1]:0' } });
    expect(pair.server.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    const created = await pair.client.create(disk('x'));
    expect((await pair.client.get(Disk.at('x'))).metadata).toEqual(created.metadata);
  });

  it('refuses what is no URL of a server', () => {
    for (const url of [
      '127.0.0.1:4001',
      'ftp://host',
      'http://host/path',
      'http://host?x',
      'http://me@host',
      'http://:word@host',
      '',
    ]) {
      expect(() => connectState(url)).toThrow(TypeError);
    }
    expect(() => connectState('http://host', { maxMessageBytes: 0 })).toThrow(RangeError);
  });

  it('says what a URL looks like to those who give something else', () => {
    const instead = (given: unknown) => {
      for (const connect of [connectState, connectFromPage])
        expect(() => connect(given as never)).toThrow(
          /^a state is connected to by a URL such as http:\/\/127\.0\.0\.1:4001, not by /,
        );
    };
    for (const given of [undefined, null, 4001, Symbol('url'), {}, new URL('http://host')]) instead(given);
    expect(() => connectState(new URL('http://host') as never)).toThrow(/not by a URL object: give its href$/);
  });
});
