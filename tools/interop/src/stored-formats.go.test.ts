import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addSlot, initialize } from '@cosi-ts/keystorage';
import { decodeResource } from '@cosi-ts/proto';
import { namespaceResource, type Resource, Timestamp } from '@cosi-ts/resource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPeer } from './go-programs.js';
import { checkStoredData } from './stored-checks.js';
import {
  base64,
  engines,
  fromBase64,
  fromHex,
  key,
  makeStoredData,
  marshalerOf,
  slotHolders,
  stacks,
} from './stored-formats.js';
import { askStored } from './stored-peer.js';

function described(text: string): Resource {
  const resource = namespaceResource('ours', text);
  const at = new Timestamp(1_700_000_000, 123_456_789);
  return resource.withMetadata(
    resource.metadata.with({
      version: 2n ** 62n,
      created: at,
      updated: at.next(),
      labels: { a: '1', ключ: 'значение' },
      finalizers: ['one', 'two'],
    }),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'cosi-interop-'));
let peer: string;
beforeAll(async () => {
  peer = await buildPeer(process.env.COSI_GO ?? 'go', folder);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('what we write is read by the Go implementation', () => {
  it.each(engines)('P5, P10: records, with the %s engine', async (engine) => {
    const resources = [described(''), described('lorem ipsum dolor sit amet '.repeat(400))];
    const records = await Promise.all(
      resources.flatMap((resource) =>
        stacks.map(async (stack) => ({
          ...stack,
          resource,
          bytes: base64(await marshalerOf(stack, engine).marshal(resource, resource.metadata)),
        })),
      ),
    );
    const { read } = askStored(peer, {
      read: records.map(({ layers, minSize, key: aesKey, bytes }) => ({
        layers,
        minSize: minSize ?? 0,
        key: aesKey ?? '',
        bytes,
      })),
    });
    expect(read).toHaveLength(records.length);
    for (const [i, { error, value }] of (read ?? []).entries()) {
      const { layers, resource } = records[i] as (typeof records)[number];
      expect([layers, error]).toEqual([layers, undefined]);
      const back = decodeResource(fromBase64(value));
      expect(back.equals(resource)).toBe(true);
      expect(back.metadata.created.equals(resource.metadata.created)).toBe(true);
    }
  });

  it('K3: key storages, through every slot', async () => {
    const { first, all } = slotHolders();
    let blob = await initialize(undefined, { slot: first.name, publicKey: first.publicKey, masterKey: fromHex(key) });
    for (const { name, publicKey } of all.slice(1)) {
      blob = await addSlot(blob, { slot: name, publicKey }, { slot: first.name, privateKey: first.privateKey });
    }
    const { opened } = askStored(peer, {
      open: all.map(({ name, privateKey }) => ({ blob: base64(blob), slot: name, privateKey })),
    });
    expect(opened).toEqual(all.map(() => ({ value: key })));
  });
});

describe('what the Go implementation writes today is read here', () => {
  checkStoredData(() => makeStoredData(peer, 'today'));
});
