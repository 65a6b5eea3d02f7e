export {
  type CompressionOptions,
  type Compressor,
  compressed,
  defaultCompression,
  type ZstdOptions,
  zstd,
} from './compression.js';
export { type EncryptionOptions, encrypted, type KeyProvider, type Keys, keyBytes } from './encryption.js';
export { type ProtobufMarshalerOptions, protobufMarshaler } from './protobuf.js';
