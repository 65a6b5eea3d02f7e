import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { StopReason } from '../executor.js';
import { attemptAt, testContext } from '../testing/attempts.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { type DefinedFunction, defineFunction, type FunctionResult, RejectedError } from './defined-function.js';
import { FunctionExecutor, type FunctionOptions } from './function-executor.js';

const call = (name: string, input = {}) => attemptAt({ function: name, with: input });
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

async function executor(functions: readonly DefinedFunction[], options: FunctionOptions = {}) {
  const folder = await temporaryFolder();
  return {
    executor: new FunctionExecutor(folder, functions, { logger: silent, ...options }),
    log: async () => (await readFile(join(folder, 'logs/r1/build/1.log'), 'utf8')).replaceAll(/^\S+\t/gm, ''),
  };
}

describe('a function', () => {
  it('gives its outputs, and knows of its attempt', async () => {
    const add = defineFunction<{ a: number; b: number }>({
      name: 'add',
      handler: ({ a, b }, { attempt, idempotencyKey, artifacts }) => ({
        sum: a + b,
        run: attempt.run,
        key: idempotencyKey,
        artifacts: artifacts.slice(-12),
      }),
    });
    const { executor: functions } = await executor([add]);
    const outcome = await functions.execute(call('add', { a: 1, b: 2 }), testContext());
    expect(outcome).toEqual({
      state: 'succeeded',
      outputs: { sum: 3, run: 'r1', key: 'key-of-r1.build', artifacts: 'artifacts/r1' },
    });
  });

  it('may give nothing, later', async () => {
    const { executor: functions } = await executor([defineFunction({ name: 'f', handler: async () => {} })]);
    const context = testContext();
    expect(await functions.execute(call('f'), context)).toEqual({ state: 'succeeded', outputs: {} });
    expect(getEventListeners(context.signal, 'abort')).toEqual([]);
  });

  it('gets what its schema makes of its input', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) =>
          'n' in (value as object)
            ? { value: { n: Number((value as { n: string }).n) } }
            : { issues: [{ message: 'is missing', path: ['n'] }, { message: 'is not good' }] },
      },
    };
    const double = defineFunction({ name: 'double', input: schema, handler: ({ n }) => ({ n: n * 2 }) });
    const { executor: functions } = await executor([double]);
    expect(await functions.execute(call('double', { n: '4' }), testContext())).toMatchObject({ outputs: { n: 8 } });
    expect(await functions.execute(call('double'), testContext())).toEqual({
      state: 'failed',
      reason: 'rejected',
      message: 'the input of the function double is refused: n: is missing; is not good',
    });
  });

  it('waits for a schema that takes its time', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: async (value: unknown) =>
          'n' in (value as object) ? { value: value as { n: number } } : { issues: [{ message: 'n is missing' }] },
      },
    };
    const f = defineFunction({ name: 'f', input: schema, handler: ({ n }) => ({ n }) });
    const { executor: functions } = await executor([f]);
    expect(await functions.execute(call('f', { n: 1 }), testContext())).toEqual({
      state: 'succeeded',
      outputs: { n: 1 },
    });
    expect(await functions.execute(call('f'), testContext())).toMatchObject({
      reason: 'rejected',
      message: expect.stringContaining('n is missing'),
    });
  });

  it('writes to the log of its attempt, where secrets that it read are masked', async () => {
    const f = defineFunction({
      name: 'f',
      handler: async (_, { log, secret }) => {
        log.info('begins');
        const key = await secret('s', 'k');
        log.warn(`the key is ${key}`);
        throw new Error(`refused: ${key}`);
      },
    });
    const { executor: functions, log } = await executor([f]);
    const context = testContext(0, { 's/k': 'hunter2' });
    const outcome = await functions.execute(call('f'), context);
    expect(outcome).toEqual({ state: 'failed', reason: 'error', message: 'refused: ***' });
    expect(context.progress).toEqual({ log: 'r1/build/1.log' });
    expect(await log()).toMatch(
      /^stdout\tbegins\nstderr\tthe key is \*\*\*\nstderr\tError: refused: \*\*\*\nstderr\t +at /,
    );
  });

  it.each<[string, () => FunctionResult, string, string]>([
    [
      'an error',
      () => {
        throw new Error('no', { cause: new Error('why') });
      },
      'error',
      'no: why',
    ],
    [
      'a text',
      () => {
        throw 'no';
      },
      'error',
      'no',
    ],
    [
      'what is for good',
      () => {
        throw new RejectedError('never');
      },
      'rejected',
      'never',
    ],
    ['no outputs but a list', () => [] as never, 'rejected', 'the function f must give an object'],
    ['no outputs but a text', () => 'x' as never, 'rejected', 'the function f must give an object'],
    ['what is no JSON', () => ({ a: { b: new Date() } }) as never, 'rejected', 'a.b'],
  ])('has failed that gives %s', async (_, handler, reason, message) => {
    const { executor: functions } = await executor([defineFunction({ name: 'f', handler })]);
    const outcome = await functions.execute(call('f'), testContext());
    expect(outcome).toMatchObject({ state: 'failed', reason, message: expect.stringContaining(message) });
  });

  it('is rejected that is not there', async () => {
    const { executor: functions, log } = await executor([
      defineFunction({ name: 'f', handler: () => {} }),
      defineFunction({ name: 'g', handler: () => {} }),
    ]);
    const message = 'there is no function h: there are f, g';
    expect(await functions.execute(call('h'), testContext())).toEqual({ state: 'failed', reason: 'rejected', message });
    expect(await log()).toBe(`stderr\t${message}\n`);
    const { executor: none } = await executor([]);
    expect(await none.execute(attemptAt({ with: {} }), testContext())).toMatchObject({ reason: 'rejected' });
    expect(await none.execute(call('h'), testContext())).toMatchObject({
      message: 'there is no function h: none is plugged in (workflow serve --plugin FILE)',
    });
  });

  it('has a name of its own', () => {
    const f = defineFunction({ name: 'f', handler: () => {} });
    expect(() => new FunctionExecutor('/tmp', [f, f])).toThrow('two functions with the name f');
  });
});

describe('a function that is to end', () => {
  const stop = new StopReason('timeout', 'too long');
  const stopped = { state: 'failed', reason: 'timeout', message: 'too long' };

  it('E17: is not called any more', async () => {
    let calls = 0;
    const { executor: functions } = await executor([defineFunction({ name: 'f', handler: () => void calls++ })]);
    const context = testContext();
    context.stop.abort(stop);
    expect(await functions.execute(call('f'), context)).toEqual(stopped);
    expect(calls).toBe(0);
  });

  it('E17: ends by its signal', async () => {
    const context = testContext();
    const f = defineFunction({
      name: 'f',
      handler: (_, { signal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          context.stop.abort(stop);
        }),
    });
    const { executor: functions } = await executor([f]);
    expect(await functions.execute(call('f'), context)).toEqual(stopped);
  });

  it('E13: is waited for during the grace time; what it gives then does not count', async () => {
    const clock = new VirtualClock();
    const context = testContext(1000);
    let finish: (result: FunctionResult) => void = () => {};
    const f = defineFunction({
      name: 'f',
      handler: () =>
        new Promise<FunctionResult>((resolve) => {
          finish = resolve;
          context.stop.abort(stop);
        }),
    });
    const { executor: functions } = await executor([f], { clock });
    const execution = functions.execute(call('f'), context);
    finish({ late: true });
    expect(await execution).toEqual(stopped);
    expect(clock.timers).toBe(0);
  });

  it('E13: is given up after the grace time when it does not heed its signal', async () => {
    const clock = new VirtualClock();
    const warnings: unknown[] = [];
    const logger = { ...silent, warn: (facts: object) => void warnings.push(facts) };
    const context = testContext(1000);
    const never = defineFunction({ name: 'never', handler: () => new Promise<void>(() => {}) });
    const { executor: functions, log } = await executor([never], { clock, logger });
    const execution = functions.execute(call('never'), context);
    context.stop.abort(stop);
    await clock.advance(1000);
    expect(await execution).toEqual(stopped);
    expect(warnings).toEqual([{ function: 'never', attempt: 'r1.build' }]);
    expect(await log()).toBe('engine\tthe function never goes on after 1000 ms: nothing of it will count\n');
  });
});
