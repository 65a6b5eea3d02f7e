import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StateFactory } from '@cosi-ts/conformance';
import { compressed, encrypted, protobufMarshaler } from '@cosi-ts/marshalers';
import { namespaced } from '@cosi-ts/state';
import { type HistoryOptions, InMemoryState, type Marshaler } from '@cosi-ts/state-inmem';
import { type LevelDBStoreOptions, openLevelDBStore } from '@cosi-ts/store-leveldb';
import { inspect } from '../../../packages/state-inmem/src/internal.js';
import { counted, native, remote, type StateRun } from './states.js';

const key = new Uint8Array(32).fill(7);

/** A file system in memory where there is one: what the disk does is tested elsewhere, and takes its time. */
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** How records can be written. Every record is compressed where any is, so that both ways are gone. */
const marshalers: Readonly<Record<string, Marshaler>> = {
  protobuf: protobufMarshaler(),
  compressed: compressed(protobufMarshaler(), { minBytes: 0 }),
  encrypted: encrypted(protobufMarshaler(), { keys: () => key }),
  'compressed and encrypted': encrypted(compressed(protobufMarshaler(), { minBytes: 0 }), { keys: () => key }),
};

/** A fresh store in a folder of its own. */
function levelDB(options: Partial<LevelDBStoreOptions> = {}, history: HistoryOptions = {}): StateFactory {
  return async () => {
    const folder = await mkdtemp(join(base, 'conformance-'));
    const store = await openLevelDBStore(folder, { marshaler: protobufMarshaler(), ...options });
    const states: InMemoryState[] = [];
    const state = namespaced((name) => {
      const built = new InMemoryState(name, { store: store.namespace(name), history });
      states.push(built);
      return built;
    });
    return {
      state,
      openWatches: () => states.reduce((sum, each) => sum + inspect(each).watches, 0),
      dispose: async () => {
        await state.close();
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  };
}

const supports = { ...counted, ...native };

export const durableRuns: readonly StateRun[] = [
  { name: 'LevelDB', factory: levelDB(), supports, modelRuns: 20 },
  ...Object.entries(marshalers)
    .filter(([name]) => name !== 'protobuf')
    .map(([name, marshaler]) => ({
      name: `LevelDB, ${name}`,
      factory: levelDB({ marshaler, durability: 'os' }),
      supports,
      modelRuns: 10,
    })),
  {
    // Whatever a watch has not read yet comes from the log.
    name: 'LevelDB, one event in memory',
    factory: levelDB({ durability: 'os' }, { maxEvents: 1 }),
    supports,
    modelRuns: 20,
  },
  {
    name: 'LevelDB, a log of 50 events',
    factory: levelDB({ durability: 'os', log: { maxEvents: 50, slack: 0 } }, { maxEvents: 10 }),
    supports: { ...supports, historyEvents: 50, overrunEvents: 150 },
    modelRuns: 20,
  },
  {
    name: 'N1: LevelDB, through client and server',
    factory: remote(levelDB({ durability: 'os' })),
    supports,
    modelRuns: 5,
  },
];
