import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { Seeded } from '@cosi-ts/harness';
import { describe, expect, it } from 'vitest';
import { rpcs } from './grpc.js';
import { mutated } from './mutate.js';
import { hostileBytes, requestSchemas } from './requests.js';

describe('requests that mean harm', () => {
  it.each(rpcs)('are messages of %s, the same for the same seed', (rpc) => {
    const [one, other] = [new Seeded(5), new Seeded(5)];
    const all = new Set<string>();
    for (let i = 0; i < 50; i++) {
      const bytes = hostileBytes(rpc, one);
      expect(Buffer.from(bytes).equals(hostileBytes(rpc, other))).toBe(true);
      expect(() => fromBinary<DescMessage>(requestSchemas[rpc], bytes)).not.toThrow();
      all.add(Buffer.from(bytes).toString('hex'));
    }
    expect(all.size).toBeGreaterThan(20);
  });

  it('have faults put into their bytes, the same for the same seed', () => {
    const bytes = hostileBytes('Create', new Seeded(1));
    const [one, other] = [new Seeded(2), new Seeded(2)];
    let changed = 0;
    for (let i = 0; i < 100; i++) {
      const result = mutated(bytes, one);
      expect(Buffer.from(result).equals(mutated(bytes, other))).toBe(true);
      if (!Buffer.from(result).equals(bytes)) changed++;
    }
    expect(changed).toBeGreaterThan(90);
  });
});
