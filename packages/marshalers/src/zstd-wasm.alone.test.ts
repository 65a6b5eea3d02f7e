import { describe, expect, it, vi } from 'vitest';
import { zstdFrames } from './zstd-frames.js';

const text = new TextEncoder().encode('all the same '.repeat(100));

/** The engine of another copy of this package, as of another version of it or in another format. */
async function anotherEngine() {
  vi.resetModules();
  const { portableZstd } = await import('./zstd-portable.js');
  return portableZstd();
}

async function thereAndBack(engine: Awaited<ReturnType<typeof anotherEngine>>): Promise<Uint8Array> {
  const [frame] = zstdFrames(await engine.compress(text, 3));
  if (frame === undefined) throw new Error('there is no frame');
  return engine.decompress(frame, text.length);
}

describe('the Zstandard of WebAssembly', () => {
  it('works in several copies of this package, one after the other', async () => {
    const first = await anotherEngine();
    expect(await thereAndBack(first)).toEqual(text);
    const second = await anotherEngine();
    expect(await thereAndBack(second)).toEqual(text);
    expect(await thereAndBack(first)).toEqual(text);
  });

  it('works in several copies of this package that begin at once', async () => {
    const engines = [await anotherEngine(), await anotherEngine(), await anotherEngine()];
    expect(await Promise.all(engines.map(thereAndBack))).toEqual(engines.map(() => text));
  });

  it('fails rather than to write what cannot be read, when somebody else begins the library again', async () => {
    vi.resetModules();
    const { portableZstd } = await import('./zstd-portable.js');
    const engine = portableZstd();
    expect(await thereAndBack(engine)).toEqual(text);
    const library = await import('@bokuweb/zstd-wasm');
    // Its functions take the memory of the beginning at the first call, and what they give lies in the newest one.
    await library.init();
    await vi.waitFor(async () => {
      await expect(async () => engine.compress(text, 3)).rejects.toThrow('no Zstandard frame');
    });
  });
});
