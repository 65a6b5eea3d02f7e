// Opens and loads the store of a folder, and prints what that took.
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import type { Loaded } from './durable-load.js';
import { liveBytes, maxResidentBytes } from './memory.js';
import { Machine, marshaler } from './subject.js';

const before = liveBytes();
const begin = performance.now();
const store = await openLevelDBStore(process.argv[2] as string, { marshaler: marshaler });
const opened = performance.now();
const state = new InMemoryState('bench', { store: store.namespace('bench') });
// The first use loads; that there is no such resource is no matter.
await state.get(Machine.at('none')).catch(() => undefined);
const loaded = performance.now();
// Resources are made when they are asked for, and take their memory from then on.
const all = await state.list(Machine.kind);
const listed = performance.now();
const after = liveBytes();
const result: Loaded = {
  resources: all.length,
  openMs: opened - begin,
  loadMs: loaded - opened,
  listMs: listed - loaded,
  heapBytes: after - before,
  residentBytes: maxResidentBytes(),
};
console.log(JSON.stringify(result));
await state.close();
await store.close();
