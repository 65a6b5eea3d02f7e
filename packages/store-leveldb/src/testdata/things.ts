import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protobufMarshaler } from '@cosi-ts/marshalers';
import { defineResource, Metadata, type Pointer, type Resource } from '@cosi-ts/resource';
import { namespaced, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { onTestFinished } from 'vitest';
import type { LevelDBStore, LevelDBStoreOptions } from '../index.js';
import { openLevelDBStore } from '../level-db-store.js';

export const Thing = defineResource<{ text: string }>({ type: 'Things.test.cosi.dev', namespace: 'things' });

export const marshaler = protobufMarshaler();

/** A resource as a state would have it stored. */
export function thing(id: string, version = 1n, text = `text of ${id}`, namespace = 'things'): Resource {
  const made = Thing.new(id, { text }, { labels: { kind: 'test' } });
  return made.withMetadata(new Metadata({ ...made.metadata, namespace, version }));
}

export function at(id: string, namespace = 'things'): Pointer {
  return { namespace, type: Thing.type, id };
}

/** A folder that is gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'store-leveldb-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A store that is closed when the test is over. */
export async function openStore(folder: string, options: Partial<LevelDBStoreOptions> = {}): Promise<LevelDBStore> {
  const store = await openLevelDBStore(folder, { marshaler, clock: new VirtualClock(), logger: silent, ...options });
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

const silent = Object.freeze({ info() {}, warn() {}, error() {} });

/** A state of all namespaces on a store. To be closed before the store. */
export function stateOn(store: LevelDBStore): State {
  return wrapState(namespaced((namespace) => new InMemoryState(namespace, { store: store.namespace(namespace) })));
}

/** All that a namespace's store loads. */
export async function loaded(store: LevelDBStore, namespace = 'things'): Promise<Resource[]> {
  const resources: Resource[] = [];
  for await (const some of store.namespace(namespace).load()) resources.push(...some);
  return resources;
}

export function ids(resources: readonly Resource[]): string[] {
  return resources.map(({ metadata }) => metadata.id);
}
