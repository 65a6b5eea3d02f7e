import type { Compressor } from './compressor.js';
import { chain, type MaybePromise } from './maybe-async.js';
import { tooLong, type ZstdEngine } from './zstd-engine.js';
import { type ZstdFrame, zstdFrames } from './zstd-frames.js';
import { hostZstd } from './zstd-host.js';
import { portableZstd } from './zstd-portable.js';

export interface ZstdOptions {
  /** From 1 (fast) to 22 (small). Default: 3. */
  readonly level?: number | undefined;
  /**
   * What does the work: the zlib of the host where it has Zstandard (Node from 22.15), or WebAssembly and JavaScript.
   * Default: the host's where there is one.
   */
  readonly engine?: 'host' | 'portable' | undefined;
}

/** Zstandard (RFC 8878), with the checksum of the content in each frame. */
export function zstd(options: ZstdOptions = {}): Compressor {
  const level = options.level ?? 3;
  if (!Number.isInteger(level) || level < 1 || level > 22) {
    throw new RangeError(`the level must be an integer from 1 to 22, not ${level}`);
  }
  const engine = engineFor(options.engine);
  return {
    id: 'z'.charCodeAt(0),
    compress: (bytes) => engine.compress(bytes, level),
    decompress(data, maxBytes) {
      const frames = zstdFrames(data);
      const [first] = frames;
      for (const frame of frames) checkClaims(frame, maxBytes);
      if (frames.length === 1 && first !== undefined) return engine.decompress(first, maxBytes);
      return frames.reduce<MaybePromise<Uint8Array>>(
        (before, frame) =>
          chain(before, (head) =>
            chain(engine.decompress(frame, maxBytes - head.length), (tail) => joined(head, tail)),
          ),
        new Uint8Array(0),
      );
    },
  };
}

function engineFor(choice: ZstdOptions['engine']): ZstdEngine {
  const host = hostZstd();
  if (choice === 'host' && host === undefined) throw new TypeError('the zlib of this host has no Zstandard');
  return choice === 'portable' || host === undefined ? portableZstd() : host;
}

/** Refuses before memory is taken. */
function checkClaims({ contentBytes, windowBytes }: ZstdFrame, maxBytes: number): void {
  if (contentBytes !== undefined && contentBytes > maxBytes) throw tooLong(maxBytes);
  // A window may be somewhat larger than the content: peers use 8 MiB for whatever they write.
  if (windowBytes > Math.max(maxBytes, 8 * 1024 * 1024)) throw tooLong(maxBytes);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const both = new Uint8Array(head.length + tail.length);
  both.set(head);
  both.set(tail, head.length);
  return both;
}
