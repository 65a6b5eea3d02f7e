export { type KeyStorageCode, KeyStorageError } from './errors.js';
export { type BlobStore, KeyStorage, type StoredBlob } from './key-storage.js';
export {
  addSlot,
  deleteSlot,
  getMasterKey,
  initialize,
  type KeyStorageOptions,
  masterKeyBytes,
  type NewSlot,
  type OpenSlot,
  slotIds,
} from './operations.js';
export { clockToleranceMs } from './recipient.js';
export type { SlotKey } from './slot-message.js';
