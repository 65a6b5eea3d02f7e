import { getMasterKey } from '@cosi-ts/keystorage';
import { expect, it } from 'vitest';
import { engines, fromBase64, readRecord, type StoredData, slotHolders, stacks } from './stored-formats.js';

/** Registers the tests that read what the Go implementation wrote. */
export function checkStoredData(data: () => StoredData): void {
  it.each(engines)('P5, P10: records, with the %s engine', async (engine) => {
    const { records } = data();
    expect(records.map(({ layers, minSize }) => ({ layers, minSize }))).toEqual(
      stacks.map(({ layers, minSize }) => ({ layers, minSize })),
    );
    for (const record of records) {
      const { read, same } = await readRecord(record, engine);
      expect(read.equals(same)).toBe(true);
      expect(read.metadata.labels).toEqual({ peer: 'go' });
    }
  });

  it('K3: key storages, through every slot', async () => {
    const { masterKey, slots, blob } = data().keyStorage;
    const holders = slotHolders().all;
    expect(slots).toEqual(holders.map(({ name }) => name));
    for (const { name, privateKey } of holders) {
      const opened = await getMasterKey(fromBase64(blob), { slot: name, privateKey });
      expect([name, Buffer.from(opened).toString('hex')]).toEqual([name, masterKey]);
    }
  });
}
