import { ResourceExhaustedError } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { arraysProgress, at, bootstrapped, created, cut, kindProgress, noop, run } from '../../testdata/watch-run.js';

describe('a bootstrap that breaks', () => {
  it('W6: an aggregated bootstrap that breaks begins again, and nothing of the first one is given', async () => {
    await using test = run(arraysProgress({ bootstrap: true }), { aggregated: true });
    test.first.push(created('a'), created('b')).break(cut);
    test.streams.accept().push(created('b')).push(created('c'), bootstrapped(4)).push(noop(4));
    expect(await test.after(500)).toEqual([created('b'), created('c'), bootstrapped(4)]);
    expect(test.streams.attempts).toMatchObject([
      { bookmark: undefined, bootstrap: true, noop: true, aggregated: true },
    ]);
  });

  it('N4: a single bootstrap that breaks begins again, and the consumer is given the differences', async () => {
    await using test = run(kindProgress({ bootstrap: true }));
    const old = created('b');
    test.first.push(created('a'), old, created('d'), created('e')).break(cut);
    for (let i = 0; i < 4; i++) await test.after(0);
    test.streams
      .accept()
      .push(created('b', undefined, 2n), created('c'))
      .break(cut);
    expect([await test.after(500), await test.after(0), await test.after(0)]).toMatchObject([
      { type: 'destroyed', resource: { metadata: { id: 'a' } } },
      { type: 'updated', resource: { metadata: { id: 'b', version: 2n } }, old: { metadata: { version: 1n } } },
      { type: 'created', resource: { metadata: { id: 'c' } } },
    ]);
    test.streams.accept().push(created('b', undefined, 2n), created('c'), created('d'), bootstrapped(9));
    expect([await test.after(1000), await test.after(0)]).toMatchObject([
      { type: 'destroyed', resource: { metadata: { id: 'e' } } },
      { type: 'bootstrapped', bookmark: at(9) },
    ]);
  });

  it('N6: a bootstrap that is too large in arrays begins again unaggregated, and is joined', async () => {
    await using test = run(arraysProgress({ bootstrap: true }), { aggregated: true });
    test.first.break(new ResourceExhaustedError('a message of 9 MB'));
    test.streams.accept().push(created('a')).push(created('b')).push(bootstrapped(1));
    expect(await test.after(500)).toEqual([created('a'), created('b'), bootstrapped(1)]);
    expect(test.streams.attempts).toMatchObject([{ bootstrap: true, aggregated: false }]);
  });
});
