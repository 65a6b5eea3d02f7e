import { Timestamp } from '@cosi-ts/resource';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { RecordPage } from './record-page.js';
import { at, marshaler, Thing, thing } from './testdata/things.js';

const kind = { namespace: 'things', type: Thing.type };

function pageOf(ids: readonly string[], of: Marshaler = marshaler): RecordPage {
  const page = new RecordPage(kind, of);
  for (const [i, id] of ids.entries()) {
    const newest = new Timestamp(i % 2 === 0 ? i : -i, 0);
    page.add(id, marshaler.marshal(thing(id), at(id)) as Uint8Array, { version: 1n, newest });
  }
  return page;
}

describe('a page of records', () => {
  it('gives each resource once', () => {
    const page = pageOf(['a', 'b', 'c']);
    expect(page.newest).toEqual(new Timestamp(2, 0));
    expect(page.take(1).metadata.id).toBe('b');
    expect(() => page.take(1)).toThrow(RangeError);
    expect([page.take(0), page.take(2)].map(({ metadata }) => metadata.id)).toEqual(['a', 'c']);
    for (const number of [0, 1, 2, 3]) expect(() => page.take(number)).toThrow(RangeError);
    expect(page.ids).toEqual(['a', 'b', 'c']);
  });

  it('gives all in their order', () => {
    expect([...pageOf(['a', 'b'])].map(({ metadata }) => metadata.id)).toEqual(['a', 'b']);
  });

  it('keeps a record that could not be read', () => {
    let fails = true;
    const page = pageOf(['a'], {
      ...marshaler,
      unmarshal: (bytes, place) => {
        if (fails) throw new Error('not now');
        return marshaler.unmarshal(bytes, place);
      },
    });
    expect(() => page.take(0)).toThrow('not now');
    fails = false;
    expect(page.take(0).metadata.id).toBe('a');
  });

  it('says of a marshaler that takes its time that it must not', () => {
    const page = pageOf(['a'], { ...marshaler, unmarshal: async () => thing('a') });
    expect(() => page.take(0)).toThrow(TypeError);
  });
});
