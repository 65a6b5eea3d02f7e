import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopesOf } from '../../envelope.js';
import { itemOf } from '../../testdata/placed-items.js';
import { limitedFetch } from './limited-fetch.js';

async function bytesThrough(bytes: Uint8Array, cuts: readonly number[], maxBytes: number): Promise<number | string> {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const parts = edges.slice(1).map((edge, i) => bytes.slice(edges[i], edge));
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  const response = await limitedFetch(async () => new Response(source), {}, maxBytes)('http://x');
  try {
    return (await response.arrayBuffer()).byteLength;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('limitedFetch', () => {
  it('N6: passes on what is within the limit, and breaks where it is not, however it is cut', async () => {
    const sizes = fc.array(fc.nat({ max: 40 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(fc.nat(), { maxLength: 6 }), fc.nat({ max: 40 }), async (sizes, cuts, max) => {
        const messages = sizes.map((size) => itemOf(new Uint8Array(size).fill(255)));
        const { bytes } = envelopesOf(
          messages,
          sizes.reduce((sum, size) => sum + size, 0),
        );
        const tooLarge = sizes.find((size) => size > max);
        expect(await bytesThrough(bytes, cuts, max)).toEqual(
          tooLarge === undefined
            ? bytes.length
            : expect.stringMatching(`a message of ${tooLarge} bytes is larger than the limit of ${max}`),
        );
      }),
    );
  });

  it('leaves other answers and the options of requests alone', async () => {
    const given: unknown[] = [];
    const fetching = limitedFetch(
      async (...args) => {
        given.push(args);
        return new Response('no', { status: 404 });
      },
      { credentials: 'include' },
      1,
    );
    const response = await fetching('http://x', { method: 'POST' });
    expect([response.status, await response.text()]).toEqual([404, 'no']);
    expect(given).toEqual([['http://x', { credentials: 'include', method: 'POST' }]]);
  });
});
