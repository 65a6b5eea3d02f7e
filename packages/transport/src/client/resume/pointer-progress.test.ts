import type { Event } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { at, created, cut, destroyed, plain, run, thing } from '../../testdata/watch-run.js';
import { PointerProgress } from './pointer-progress.js';

describe('PointerProgress', () => {
  it('W15: a watch of a resource without a bookmark is established anew, and tells only what is new', async () => {
    await using test = run(new PointerProgress(plain));
    test.first.push(created('x')).break(cut);
    expect(await test.after(0)).toEqual(created('x'));
    test.streams.accept().push(created('x')).break(cut);
    test.streams
      .accept()
      .push(created('x', undefined, 2n))
      .break(cut);
    expect(await test.after(1500)).toEqual(created('x', undefined, 2n));
    test.streams.accept().push(destroyed('x')).break(cut);
    test.streams.accept().push(destroyed('x')).break(cut);
    expect(await test.after(2000)).toEqual(destroyed('x'));
    test.streams.accept().push(created('x', 5));
    expect(await test.after(4000 + 8000)).toEqual(created('x', 5));
    expect(test.streams.attempts.every(({ bookmark }) => bookmark === undefined)).toBe(true);
  });

  it('W15: a resource that was made anew is told, also at the same version', async () => {
    await using test = run(new PointerProgress(plain));
    test.first.push(created('x')).break(cut);
    await test.after(0);
    const anew: Event = { type: 'created', resource: thing('x', 1n, 2) };
    test.streams.accept().push(anew);
    expect(await test.after(500)).toEqual(anew);
  });

  it('W15: a watch of a resource goes on from its bookmark when it has one', async () => {
    await using test = run(new PointerProgress({ ...plain, tailEvents: 2 }));
    test.first.break(cut);
    test.streams.accept().push(created('x', 1)).break(cut);
    expect(await test.after(500)).toEqual(created('x', 1));
    test.streams.accept().push(created('x', 2));
    expect(await test.after(1000)).toEqual(created('x', 2));
    expect(test.streams.attempts).toMatchObject([
      { bookmark: undefined, tailEvents: 2 },
      { bookmark: at(1), tailEvents: 0 },
    ]);
  });
});
