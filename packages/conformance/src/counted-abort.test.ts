import { describe, expect, it } from 'vitest';
import { CountedAbort } from './counted-abort.js';

describe('an abort that counts its listeners', () => {
  it('counts those that are attached', () => {
    const abort = new CountedAbort();
    const listener = () => undefined;
    abort.signal.addEventListener('abort', listener);
    abort.signal.addEventListener('abort', listener);
    abort.signal.addEventListener('abort', () => undefined, { once: true });
    expect(abort.listeners).toBe(2);
    abort.signal.removeEventListener('abort', listener);
    expect(abort.listeners).toBe(1);
  });

  it('does not count those that were to be called once, after the abort', () => {
    const abort = new CountedAbort();
    const calls: string[] = [];
    abort.signal.addEventListener('abort', () => calls.push('once'), { once: true });
    abort.signal.addEventListener('abort', () => calls.push('always'));
    abort.abort('reason');
    expect(calls).toEqual(['once', 'always']);
    expect(abort.signal.reason).toBe('reason');
    expect(abort.listeners).toBe(1);
  });

  it('does not count those whose own signal ended them', () => {
    const abort = new CountedAbort();
    const other = new AbortController();
    abort.signal.addEventListener('abort', () => undefined, { signal: other.signal });
    expect(abort.listeners).toBe(1);
    other.abort();
    expect(abort.listeners).toBe(0);
  });
});
