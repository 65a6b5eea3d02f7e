import { defineResource, kindTombstone, Timestamp } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { EventArrays } from './event-arrays.js';

const Thing = defineResource({ type: 'Things.test', namespace: 'a' });
const created = (id: string): Event => ({ type: 'created', resource: Thing.new(id, {}) });
const marker = kindTombstone(Thing.kind, Timestamp.epoch);
const bootstrapped: Event = { type: 'bootstrapped', resource: marker };
const noop: Event = { type: 'noop', resource: marker };
const errored: Event = { type: 'errored', error: new Error('broken') };
const [a, b, c] = [created('a'), created('b'), created('c')];

describe('EventArrays', () => {
  it('W6: joins the parts of the bootstrap, bootstrapped last, and no others', () => {
    const arrays = new EventArrays(true);
    expect(arrays.add([a])).toEqual([]);
    expect(arrays.add([])).toEqual([]);
    expect(arrays.add([b])).toEqual([]);
    expect(arrays.add([bootstrapped])).toEqual([[a, b, bootstrapped]]);
    expect(arrays.add([a])).toEqual([[a]]);
    expect(arrays.add([b, c])).toEqual([[b, c]]);
  });

  it('W6: ends the bootstrap with bootstrapped, whatever else is in the message', () => {
    expect(new EventArrays(true).add([a, bootstrapped, b, c])).toEqual([
      [a, bootstrapped],
      [b, c],
    ]);
  });

  it('W6: a noop is alone', () => {
    expect(new EventArrays(true).add([bootstrapped, noop, a])).toEqual([[bootstrapped], [noop], [a]]);
    expect(new EventArrays(false).add([a, noop, noop, b])).toEqual([[a], [noop], [noop], [b]]);
  });

  it('W6: never gives an empty array', () => {
    expect(new EventArrays(false).add([])).toEqual([]);
  });

  it('W6: gives nothing of a bootstrap that fails', () => {
    const arrays = new EventArrays(true);
    expect(arrays.add([a])).toEqual([]);
    expect(arrays.add([b, errored])).toEqual([[errored]]);
  });
});
