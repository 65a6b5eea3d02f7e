export type { BackupReport } from './backup.js';
export { type LevelDBStore, openLevelDBStore, type StoreStats } from './level-db-store.js';
export type { Logger } from './logger.js';
export type { LevelDBStoreOptions, LogOptions } from './options.js';
export type { BadRecord } from './record-reader.js';
export type { RewriteReport } from './rewriting.js';
