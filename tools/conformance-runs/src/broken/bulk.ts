import type { CallOptions, Write, WriteOutcome } from '@cosi-ts/state';
import { brokenWrapper } from './broken-state.js';

export const brokenBulk = [
  brokenWrapper('S18', 'outcomes come in another order than the writes', (state) => ({
    writeMany: async (writes: readonly Write[], options?: CallOptions) =>
      [...(await state.writeMany(writes, options))].reverse(),
  })),

  brokenWrapper('S18', 'the first write that fails ends the others', (state) => ({
    writeMany: async (writes: readonly Write[], options?: CallOptions) => {
      const outcomes: WriteOutcome[] = [];
      for (const write of writes) {
        const failed = outcomes.find(({ status }) => status === 'rejected');
        outcomes.push(...(failed === undefined ? await state.writeMany([write], options) : [failed]));
      }
      return outcomes;
    },
  })),

  brokenWrapper('S18', 'writes are made in reverse', (state) => ({
    writeMany: async (writes: readonly Write[], options?: CallOptions) =>
      [...(await state.writeMany([...writes].reverse(), options))].reverse(),
  })),

  brokenWrapper('S18', 'an aborted call writes all the same', (state) => ({
    writeMany: async (writes: readonly Write[], options: CallOptions = {}) => {
      const outcomes = await state.writeMany(writes);
      options.signal?.throwIfAborted();
      return outcomes;
    },
  })),
];
