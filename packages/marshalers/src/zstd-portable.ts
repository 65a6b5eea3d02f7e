import { chain, type MaybePromise } from './maybe-async.js';
import { tooLong, type ZstdEngine } from './zstd-engine.js';
import { withChecksum, type ZstdFrame } from './zstd-frames.js';
import { type Compress, loadZstdWasm } from './zstd-wasm.js';

interface Parts {
  readonly compress: Compress;
  readonly Decompress: typeof import('fzstd').Decompress;
  /** The low 32 bits of XXH64, which is what frames hold. */
  readonly checksumOf: (bytes: Uint8Array) => number;
}

let loaded: Parts | undefined;
let loading: Promise<Parts> | undefined;

/** The engine that works everywhere: WebAssembly to compress, JavaScript to decompress. Loaded at first use. */
export function portableZstd(): ZstdEngine {
  return {
    compress: (bytes, level) =>
      chain(parts(), ({ compress, checksumOf }) => withChecksum(compress(bytes, level), checksumOf(bytes))),
    decompress: (frame, maxBytes) => chain(parts(), (ready) => decompress(ready, frame, maxBytes)),
  };
}

function parts(): MaybePromise<Parts> {
  if (loaded !== undefined) return loaded;
  loading ??= load().finally(() => {
    loading = undefined;
  });
  return loading;
}

async function load(): Promise<Parts> {
  const [compress, fzstd, { default: xxhash }] = await Promise.all([
    loadZstdWasm(),
    import('fzstd'),
    import('xxhash-wasm'),
  ]);
  const { h64Raw } = await xxhash();
  loaded = {
    compress,
    Decompress: fzstd.Decompress,
    checksumOf: (bytes) => Number(h64Raw(bytes) & 0xffff_ffffn),
  };
  return loaded;
}

function decompress({ Decompress, checksumOf }: Parts, frame: ZstdFrame, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((chunk) => {
    length += chunk.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    // The decoder goes on to use the memory that it gives.
    chunks.push(chunk.slice());
  });
  stream.push(frame.bytes, true);
  const content = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    content.set(chunk, at);
    at += chunk.length;
  }
  if (frame.contentBytes !== undefined && frame.contentBytes !== length) {
    throw new RangeError(`the content has ${length} bytes, its frame says ${frame.contentBytes}`);
  }
  if (frame.checksum !== undefined && frame.checksum !== checksumOf(content)) {
    throw new RangeError('the checksum of the content does not match');
  }
  return content;
}
