import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, describe, expect, it } from 'vitest';
import { TestAuthority } from '../testdata/certificates.js';
import { ObservedCore } from '../testdata/observed-core.js';
import { protocolEntries, type Target } from '../testdata/protocols.js';
import { serveState } from './serve-state.js';

const Disk = defineResource({ type: 'Disks.test', namespace: 'a' });
const authority = new TestAuthority();
const loopback = authority.issueForLoopback();
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function socketAddress(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cosi-drain-'));
  folders.push(folder);
  return `unix:${join(folder, 'state.sock')}`;
}

type Place = () => { readonly options: Parameters<typeof serveState>[1]; readonly target: Omit<Target, 'url'> };

const places: Readonly<Record<string, Place>> = {
  'a port': () => ({ options: { address: '127.0.0.1:0' }, target: {} }),
  'a port with TLS': () => ({ options: { address: '127.0.0.1:0', tls: loopback }, target: { ca: authority.cert } }),
  'a Unix socket': () => ({ options: { address: socketAddress() }, target: {} }),
};

const codeOf = (error: unknown) => ConnectError.from(error).code;

describe.each(Object.entries(places))('shutting down on %s', (_where, place) => {
  it.each(protocolEntries)(
    'N3: %s: who waits is told at once, and who is served is served',
    async (_name, protocol) => {
      const core = new ObservedCore(new InMemoryState());
      await core.create(Disk.new('x', {}, { finalizers: ['f'] }));
      const { options, target } = place();
      const server = await serveState(core, options);
      const client = createClient(wire.State, protocol({ url: server.url, ...target }));

      let established: () => void = () => {};
      const watching = new Promise<void>((resolve) => {
        established = resolve;
      });
      const watched = (async () => {
        for await (const _message of client.watch(Disk.kind)) established();
      })().catch(codeOf);
      await watching;
      const destroyed = client.teardownAndDestroy(Disk.at('x')).catch(codeOf);
      await core.watching(2);

      let release: () => void = () => {};
      const reached = new Promise<void>((resolve) => {
        core.before = (name) => {
          if (name !== 'get') return undefined;
          resolve();
          return new Promise((pass) => {
            release = pass;
          });
        };
      });
      const got = client.get(Disk.at('x'));
      await reached;
      const closed = server.close();
      expect([await watched, await destroyed]).toEqual([Code.Unavailable, Code.Unavailable]);
      expect(core.openWatches).toBe(0);
      release();
      expect((await got).resource?.metadata?.id).toBe('x');
      await closed;
      await expect(client.get(Disk.at('x'))).rejects.toThrow(ConnectError);
    },
  );
});
