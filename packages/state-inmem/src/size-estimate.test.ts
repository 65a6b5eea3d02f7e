import { DeclaredContent, defineResource } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { metadataSize, specSize } from './size-estimate.js';
import { disk } from './testing/disks.js';

const Blob = defineResource<{ readonly text: string; readonly more?: unknown }>({
  type: 'Blobs.test.cosi.dev',
  namespace: 'test',
});

describe('the estimate of sizes', () => {
  it('W12: grows with the texts of a spec, and is no less than they are', () => {
    const size = (length: number) => specSize(Blob.new('a', { text: 'x'.repeat(length) }).content);
    expect(size(10_000)).toBeGreaterThanOrEqual(10_000);
    expect(size(20_000) - size(10_000)).toBe(10_000);
  });

  it('W12: counts what is nested, in objects and arrays', () => {
    const flat = specSize(Blob.new('a', { text: '' }).content);
    const nested = specSize(Blob.new('a', { text: '', more: [{ deep: ['y'.repeat(5000)] }, null, 1, true] }).content);
    expect(nested - flat).toBeGreaterThanOrEqual(5000);
  });

  it('W12: takes the size of the bytes where a spec has them', () => {
    const content = { encodedBytes: 77, valueFor: () => expect.fail('nothing is decoded'), equalsEncoded: () => false };
    expect(specSize(content)).toBe(77);
  });

  it('W12: counts byte arrays by their length', () => {
    const content = new DeclaredContent(Blob as never, { text: '', more: new Uint8Array(5000) });
    expect(specSize(content)).toBeGreaterThanOrEqual(5000);
  });

  it('takes a content that it knows nothing of for something', () => {
    const content = { valueFor: () => expect.fail('nothing is decoded'), equalsEncoded: () => false };
    expect(specSize(content)).toBeGreaterThan(0);
  });

  it('W12: grows with labels, annotations and finalizers', () => {
    const plain = metadataSize(disk('a').metadata);
    const text = 'z'.repeat(3000);
    for (const metadata of [{ labels: { k: text } }, { annotations: { [text]: '' } }, { finalizers: [text] }]) {
      expect(metadataSize(disk('a', metadata).metadata) - plain).toBeGreaterThanOrEqual(3000);
    }
  });
});
