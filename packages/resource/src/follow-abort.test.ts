import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { followAbort } from './follow-abort.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('following a signal', () => {
  it('is told the reason when it comes, once, and at once when it has come', () => {
    const controller = new AbortController();
    const told: unknown[] = [];
    followAbort(controller.signal, (reason) => told.push(['before', reason]));
    expect(told).toEqual([]);
    controller.abort('enough');
    controller.abort('again');
    followAbort(controller.signal, (reason) => told.push(['after', reason]));
    expect(told).toEqual([
      ['before', 'enough'],
      ['after', 'enough'],
    ]);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('shares one listener, which goes with the last follower', () => {
    const { signal } = new AbortController();
    const callback = () => undefined;
    const undo = Array.from({ length: 100 }, () => followAbort(signal, callback));
    expect(listeners(signal)).toBe(1);
    for (const each of undo.slice(1)) each();
    // A second time does nothing.
    for (const each of undo.slice(1)) each();
    expect(listeners(signal)).toBe(1);
    undo[0]?.();
    expect(listeners(signal)).toBe(0);
    followAbort(signal, callback)();
    expect(listeners(signal)).toBe(0);
  });

  it('the host warns of no leak', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i++) followAbort(signal, () => undefined);
    // They are emitted a tick later.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });

  it('tells in the order of coming, not who was let go of meanwhile, and who comes meanwhile at once', () => {
    const controller = new AbortController();
    const told: string[] = [];
    followAbort(controller.signal, () => {
      told.push('first');
      letGo();
      followAbort(controller.signal, () => told.push('late'));
    });
    const letGo = followAbort(controller.signal, () => told.push('second'));
    followAbort(controller.signal, () => told.push('third'));
    controller.abort();
    expect(told).toEqual(['first', 'late', 'third']);
  });

  it('tells everyone, whatever others throw, and hands that to the host', () => {
    const target = new EventTarget() as AbortSignal;
    Object.assign(target, { aborted: false, reason: 'enough' });
    let listener: () => void = () => undefined;
    target.addEventListener = (_type: string, given: unknown) => {
      listener = given as () => void;
    };
    target.removeEventListener = () => undefined;
    const told: string[] = [];
    const thrower = (name: string) => () => {
      told.push(name);
      throw new Error(name);
    };
    followAbort(target, thrower('a'));
    followAbort(target, () => told.push('b'));
    expect(() => listener()).toThrow(/^a$/);
    expect(told).toEqual(['a', 'b']);
    followAbort(target, thrower('c'));
    followAbort(target, thrower('d'));
    expect(() => listener()).toThrow(AggregateError);
    expect(told).toEqual(['a', 'b', 'c', 'd']);
  });
});
