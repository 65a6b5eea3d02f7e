import { EventEmitter } from 'node:events';
import { VirtualClock } from '@cosi-ts/state';
import { RecordingLogger } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { stopOnSignals } from './shutdown.js';

class HostProcess extends EventEmitter {
  readonly codes: (number | string | null | undefined)[] = [];
  exit(code?: number | string | null): never {
    this.codes.push(code);
    return undefined as never;
  }
}

function setup(orWhen?: Promise<unknown>) {
  const clock = new VirtualClock();
  const host = new HostProcess();
  let finish: () => void = () => undefined;
  let ends = 0;
  const end = () => {
    ends++;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const stopped = stopOnSignals(end, new RecordingLogger(), {
    clock,
    host: host as unknown as NodeJS.Process,
    ...(orWhen === undefined ? {} : { orWhen }),
  });
  return { clock, host, stopped, finish: () => finish(), ends: () => ends };
}

describe('stopping on signals', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('ends once after %s', async (signal) => {
    const { clock, host, stopped, finish, ends } = setup();
    await clock.advance(1000);
    expect(ends()).toBe(0);
    host.emit(signal, signal);
    await clock.advance(0);
    expect(ends()).toBe(1);
    finish();
    await stopped;
    expect(host.codes).toEqual([]);
  });

  it('takes a signal that comes twice at once, as through npm, for one', async () => {
    const { clock, host, stopped, finish, ends } = setup();
    host.emit('SIGINT', 'SIGINT');
    await clock.advance(50);
    host.emit('SIGINT', 'SIGINT');
    finish();
    await stopped;
    expect(ends()).toBe(1);
    expect(host.codes).toEqual([]);
  });

  it('stops at once when it is asked again', async () => {
    const { clock, host } = setup();
    host.emit('SIGINT', 'SIGINT');
    await clock.advance(1000);
    host.emit('SIGINT', 'SIGINT');
    expect(host.codes).toEqual([130]);
  });

  it('ends by itself when it is told to, and a signal then stops at once', async () => {
    let give: () => void = () => undefined;
    const given = new Promise<void>((resolve) => {
      give = resolve;
    });
    const { clock, host, stopped, finish, ends } = setup(given);
    await clock.advance(1000);
    expect(ends()).toBe(0);
    give();
    await clock.advance(1000);
    expect(ends()).toBe(1);
    host.emit('SIGINT', 'SIGINT');
    expect(host.codes).toEqual([130]);
    finish();
    await stopped;
  });
});
