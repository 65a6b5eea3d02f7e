export { type CompressionOptions, compressed, defaultCompression } from './compression-marshaler.js';
export type { Compressor } from './compressor.js';
export { type ZstdOptions, zstd } from './zstd.js';
