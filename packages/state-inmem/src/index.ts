export type {
  BackingStore,
  Commit,
  CommitReceipt,
  Epoch,
  EventLog,
  LoggedEvent,
  LogPage,
  StoreChange,
  StoredPage,
} from './backing-store.js';
export { InMemoryState } from './in-memory-state.js';
export type { Marshaler, RecordGlance, RecordPlace } from './marshaler.js';
export { MemoryStore } from './memory-store.js';
export { defaultHistory, type HistoryOptions, type InMemoryOptions } from './options.js';
