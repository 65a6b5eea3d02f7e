export type { BackupReport } from './backup.js';
export type { ContentsReport, Damage } from './check-contents.js';
export { type LevelDBStore, openLevelDBStore, type StoreStats } from './level-db-store.js';
export type { Logger } from './logger.js';
export { defaultLog, type LevelDBStoreOptions, type LogOptions } from './options.js';
export type { BadRecord } from './record-reader.js';
export { type RepairOptions, type RepairReport, repairLevelDBStore } from './repair.js';
export type { RewriteReport } from './rewriting.js';
export { type VerifyOptions, type VerifyReport, verifyLevelDBStore } from './verify.js';
