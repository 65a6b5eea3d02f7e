import { defineResource } from '@cosi-ts/resource';
import { filter, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFaultProxy } from '../../../../../tools/faults/src/index.js';
import { bearerTokens } from '../../server/bearer-tokens.js';
import { serveState } from '../../server/serve-state.js';
import { BrowserHost } from '../../testdata/browser.js';
import { TestAuthority } from '../../testdata/certificates.js';

const Disk = defineResource<{ sizeGiB: number }>({ type: 'Disks.example.org', namespace: 'storage' });

/** Lists, watches and updates. Gives what it saw. */
async function useState(url: string, token?: string): Promise<readonly unknown[]> {
  const { connectState, defineResource, wrapState } = globalThis.cosi;
  const Disk = defineResource<{ sizeGiB: number }>({ type: 'Disks.example.org', namespace: 'storage' });
  const client = connectState(url, token === undefined ? {} : { token });
  const state = wrapState(client);
  const listed = (await state.list(Disk.kind)).map(({ metadata, spec }) => [metadata.id, spec.sizeGiB]);
  const watch = await state.watchKind(Disk.kind, { bootstrapContents: true });
  const seen: unknown[] = [];
  await state.modify(Disk.at('root'), (draft) => {
    draft.spec.sizeGiB += 10;
  });
  for await (const event of watch) {
    seen.push(
      event.type === 'updated' ? [event.type, event.resource.spec.sizeGiB, event.old?.spec.sizeGiB] : event.type,
    );
    if (event.type === 'updated') break;
  }
  const absent = await state.get(Disk.at('none')).catch((error: unknown) => error);
  const { name, code, subject } = absent as { name: string; code: string; subject: unknown };
  await client.close();
  return [listed, seen, { name, code, subject }];
}

const expected = [
  [['root', 20]],
  ['created', 'bootstrapped', ['updated', 30, 20]],
  {
    name: 'NotFoundError',
    code: 'not-found',
    subject: { namespace: 'storage', type: 'Disks.example.org', id: 'none' },
  },
];

describe('a page in a browser', { timeout: 60_000 }, () => {
  let host: BrowserHost;

  beforeAll(async () => {
    host = await BrowserHost.start(process.env.COSI_BROWSER ?? '/usr/bin/chromium');
  }, 120_000);

  afterAll(() => host[Symbol.asyncDispose]());

  async function withDisk(): Promise<InMemoryState> {
    const core = new InMemoryState();
    await core.create(Disk.new('root', { sizeGiB: 20 }));
    return core;
  }

  it('N1: lists, watches and updates, over HTTP/1.1 and over HTTP/2 with TLS', async () => {
    const cors = { origins: [host.origin] };
    const faults: string[] = [];
    const page = await host.open(faults);
    for (const tls of [undefined, new TestAuthority().issueForLoopback()]) {
      await using server = await serveState(await withDisk(), { address: '127.0.0.1:0', cors, tls });
      expect(
        await page.evaluate(([use, url]) => new Function(`return ${use}`)()(url), [useState.toString(), server.url]),
      ).toEqual(expected);
    }
    expect(faults).toEqual([]);
  });

  it('N8: sends its token', async () => {
    const identities: unknown[] = [];
    const core = filter(await withDisk(), (_access, { identity }) => void identities.push(identity));
    const authenticate = bearerTokens({ secret: 'alice' });
    await using server = await serveState(core, { address: '127.0.0.1:0', cors: { origins: ['*'] }, authenticate });
    const page = await host.open([]);
    const use = (token: string) =>
      page.evaluate(
        ([use, url, token]) => new Function(`return ${use}`)()(url, token).catch(({ code }: { code: string }) => code),
        [useState.toString(), server.url, token],
      );
    expect(await use('wrong')).toBe('unauthenticated');
    expect(await use('secret')).toEqual(expected);
    expect(new Set(identities)).toEqual(new Set(['alice']));
  });

  it('N4: a watch goes on after its connection was cut', async () => {
    const core = await withDisk();
    await using server = await serveState(core, { address: '127.0.0.1:0', cors: { origins: [host.origin] } });
    await using proxy = await openFaultProxy(server.url);
    const page = await host.open([]);
    await page.evaluate(async (url) => {
      const { connectState, defineResource } = globalThis.cosi;
      const Disk = defineResource<{ sizeGiB: number }>({ type: 'Disks.example.org', namespace: 'storage' });
      const client = connectState(url, { resumeBackoff: { initialMs: 1, maxMs: 20 } });
      const watch = await client.watchKindAggregated(Disk.kind);
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      void (async () => {
        for await (const events of watch) {
          for (const event of events)
            seen.push(event.type === 'errored' ? event.error.message : event.resource.metadata.id);
        }
      })();
    }, proxy.url);
    const ids = Array.from({ length: 30 }, (_, i) => `d${i}`);
    for (const [i, id] of ids.entries()) {
      await core.create(Disk.new(id, { sizeGiB: 1 }));
      if (i % 10 === 5) proxy.cut();
      if (i % 10 === 9) proxy.reset();
    }
    await page.waitForFunction(
      (count) => (globalThis as unknown as { seen: string[] }).seen.length >= count,
      ids.length,
    );
    expect(await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)).toEqual(ids);
  });

  it('N6: an answer that is too large fails, and names the limit', async () => {
    const core = wrapState(new InMemoryState());
    await core.create(Disk.new('root', { sizeGiB: 20 }, { annotations: { long: 'x'.repeat(200_000) } }));
    await using server = await serveState(core, { address: '127.0.0.1:0', cors: { origins: [host.origin] } });
    const page = await host.open([]);
    const error = await page.evaluate(async (url) => {
      const client = globalThis.cosi.connectState(url, { maxMessageBytes: 100_000 });
      const pointer = { namespace: 'storage', type: 'Disks.example.org', id: 'root' };
      return client.get(pointer).catch(({ code, message }: { code: string; message: string }) => [code, message]);
    }, server.url);
    expect(error).toEqual(['resource-exhausted', expect.stringMatching(/larger than the limit of 100000$/)]);
  });

  it('says when nobody is there', async () => {
    const page = await host.open([]);
    const error = await page.evaluate(async () => {
      const client = globalThis.cosi.connectState('http://127.0.0.1:9');
      return client.list({ namespace: 'a', type: 'T' }).catch(({ code }: { code: string }) => code);
    });
    expect(error).toBe('unavailable');
  });
});
