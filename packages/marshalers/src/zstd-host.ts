import { tooLong, type ZstdEngine } from './zstd-engine.js';

/** The part of Node's zlib that is used here; it has it from 22.15. */
interface HostZlib {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: object) => Uint8Array;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: object) => Uint8Array;
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_c_checksumFlag: number };
}

/** The engine of the host, where it has one. */
export function hostZstd(): ZstdEngine | undefined {
  const zlib = hostZlib();
  const compress = zlib?.zstdCompressSync;
  const decompress = zlib?.zstdDecompressSync;
  if (zlib === undefined || compress === undefined || decompress === undefined) return undefined;
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib.constants;
  return {
    compress: (bytes, level) =>
      plainBytes(compress(bytes, { params: { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: 1 } })),
    decompress(frame, maxBytes) {
      try {
        // Zero means no limit to the host.
        return plainBytes(decompress(frame.bytes, { maxOutputLength: Math.max(1, maxBytes) }));
      } catch (error) {
        throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLong(maxBytes) : error;
      }
    },
  };
}

/**
 * The host gives Buffers, whose methods differ from those of byte arrays, and which can lie in more memory than they take:
 * 16 KiB for short ones. Those that a resource keeps would hold on to all of it.
 */
function plainBytes(buffer: Uint8Array): Uint8Array {
  const isAlone = buffer.byteLength === buffer.buffer.byteLength;
  return isAlone ? new Uint8Array(buffer.buffer) : new Uint8Array(buffer);
}

function hostZlib(): HostZlib | undefined {
  const host = globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => HostZlib } };
  return host.process?.getBuiltinModule?.('node:zlib');
}
