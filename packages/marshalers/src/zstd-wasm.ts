import { zstdFrames } from './zstd-frames.js';

type Library = typeof import('@bokuweb/zstd-wasm');

/** Compresses to one frame without a checksum. */
export type Compress = (bytes: Uint8Array, level: number) => Uint8Array;

// There may be several copies of this module, which share one copy of the library.
const registry = Symbol.for('@cosi-ts/marshalers/zstd-wasm');
const shared = globalThis as { [registry]?: WeakMap<object, Promise<unknown>> };

/**
 * Loads the library, and has it begin once in a process. When it is begun again it takes other memory, its functions go on
 * with the first one, and what it gives from then on is not what it was given, without any error.
 */
export async function loadZstdWasm(): Promise<Compress> {
  const library = await import('@bokuweb/zstd-wasm');
  shared[registry] ??= new WeakMap();
  const begun = shared[registry];
  let beginning = begun.get(library.init);
  if (beginning === undefined) {
    beginning = isReady(library) ? Promise.resolve() : library.init();
    begun.set(library.init, beginning);
    beginning.catch(() => begun.delete(library.init));
  }
  await beginning;
  return (bytes, level) => checked(library.compress(bytes, level), bytes.length);
}

/** Somebody else may have begun it. */
function isReady(library: Library): boolean {
  try {
    return library.compress(new Uint8Array(1), 1).length > 0;
  } catch {
    // It has no memory yet.
    return false;
  }
}

/** Somebody else may begin it again, too: what it gives is no frame then. */
function checked(frame: Uint8Array, contentBytes: number): Uint8Array {
  let said: number | undefined;
  try {
    const frames = zstdFrames(frame);
    if (frames.length === 1) said = frames[0]?.contentBytes;
  } catch (cause) {
    throw broken(cause);
  }
  if (said !== contentBytes) throw broken();
  return frame;
}

function broken(cause?: unknown): Error {
  const message =
    'what @bokuweb/zstd-wasm gives is no Zstandard frame: it works no more once its init() has been called a second time in a process';
  return new Error(message, { cause });
}
