import { describe, expect, it } from 'vitest';
import { settled } from '../testdata/harness.js';
import { InProcessElection } from './in-process-election.js';
import { isLeaseLost } from './lease-lost.js';

describe('InProcessElection', () => {
  it('C18: one holds a lease at a time, first come, first served, with fencing tokens that grow', async () => {
    const election = new InProcessElection();
    const first = await election.campaign('Work');
    const tokens: number[] = [first.fencingToken];
    const others = [1, 2].map(async () => {
      const lease = await election.campaign('Work');
      tokens.push(lease.fencingToken);
      return lease;
    });
    await settled();
    expect(tokens).toEqual([1]);
    expect(() => first.check()).not.toThrow();
    await first.release();
    expect(() => first.check()).toThrow(expect.toSatisfy(isLeaseLost));
    await settled();
    expect(tokens).toEqual([1, 2]);
    await first.release();
    await settled();
    expect(tokens).toEqual([1, 2]);
    await (await others[0])?.release();
    await others[1];
    expect(tokens).toEqual([1, 2, 3]);
  });

  it('C18: a lease that is revoked is lost before the next one has it', async () => {
    const election = new InProcessElection();
    const first = await election.campaign('Work');
    const order: string[] = [];
    first.signal.addEventListener('abort', () => order.push('lost'));
    const second = election.campaign('Work').then((lease) => {
      order.push('taken');
      return lease;
    });
    expect(election.revoke('Other')).toBe(false);
    expect(election.revoke('Work')).toBe(true);
    expect(first.signal.reason).toSatisfy(isLeaseLost);
    expect(() => first.check()).toThrow('it was revoked');
    expect((await second).fencingToken).toBe(2);
    expect(order).toEqual(['lost', 'taken']);
  });

  it('C18: a campaign ends with its signal, and is passed over', async () => {
    const election = new InProcessElection();
    const first = await election.campaign('Work');
    const aborter = new AbortController();
    const second = election.campaign('Work', { signal: aborter.signal });
    const third = election.campaign('Work');
    aborter.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await first.release();
    expect((await third).fencingToken).toBe(2);
    await expect(election.campaign('Work', { signal: aborter.signal })).rejects.toThrow('enough');
  });
});
