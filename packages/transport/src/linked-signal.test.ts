import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { cancelSignal, linkSignals } from './linked-signal.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('linked signals', () => {
  it('N5: abort with the reason of the parent, and let go of all parents then', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const linked = linkSignals(a.signal, undefined, b.signal);
    expect([listeners(a.signal), listeners(b.signal)]).toEqual([1, 1]);
    b.abort('enough');
    expect(linked.signal.reason).toBe('enough');
    expect([listeners(a.signal), listeners(b.signal)]).toEqual([0, 0]);
  });

  it('N5: are aborted already when a parent is', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    a.abort('before');
    expect(linkSignals(b.signal, a.signal).signal.reason).toBe('before');
    expect(listeners(b.signal)).toBe(0);
  });

  it('N5: leave nothing on their parents when they are let go of', () => {
    const parent = new AbortController();
    const linked = linkSignals(parent.signal);
    linked.unlink();
    expect(listeners(parent.signal)).toBe(0);
    parent.abort();
    expect(linked.signal.aborted).toBe(false);
  });

  it('N5: what tells the peer of a cancellation has the reason that means one', () => {
    const parent = new AbortController();
    const linked = cancelSignal(parent.signal);
    parent.abort(new Error('mine'));
    expect((linked.signal.reason as Error).name).toBe('AbortError');
  });
});
