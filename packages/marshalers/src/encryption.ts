export { type EncryptionOptions, encrypted } from './encryption-marshaler.js';
export { type KeyProvider, type Keys, keyBytes } from './key-ring.js';
