import { isInvalidArgument, isInvalidBookmark, label } from '@cosi-ts/resource';
import type { WatchKindOptions } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { askedStart, kindTarget, pointerTarget, watchRequest, wireOwner, wirePointer } from './requests.js';

const kind = { namespace: 'a', type: 'T' };
const lone = `x${'\ud800'}y`;

const single = (options: WatchKindOptions, id = 'x') =>
  watchRequest(pointerTarget({ ...kind, id }), askedStart(options), false);
const ofKind = (options: WatchKindOptions, aggregated = false) =>
  watchRequest(kindTarget(kind, options), askedStart(options), aggregated);

function fault(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('requests', () => {
  it('N2: lone surrogates are refused, with the field named', () => {
    for (const [field, pointer] of [
      ['namespace', { namespace: lone, type: 'T', id: 'x' }],
      ['type', { namespace: 'a', type: lone, id: 'x' }],
      ['id', { ...kind, id: lone }],
    ] as const) {
      const failure = fault(() => wirePointer(pointer));
      expect(isInvalidArgument(failure)).toBe(true);
      expect(String(failure)).toContain(field);
    }
    expect(isInvalidArgument(fault(() => wireOwner(lone, kind)))).toBe(true);
    expect(isInvalidArgument(fault(() => ofKind({ id: lone })))).toBe(true);
    const labels = [label('k').is(lone)];
    expect(isInvalidArgument(fault(() => ofKind({ labels })))).toBe(true);
    expect(wirePointer({ ...kind, id: '\u{1f642}' }).id).toBe('\u{1f642}');
  });

  it.each([
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31, 2 ** 31 - 1],
    [-5, 0],
    [undefined, 0],
  ])('W7: a tail of %s events is asked for as %i', (tailEvents, sent) => {
    expect(single({ tailEvents }).options?.tailEvents).toBe(sent);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 2.9, null, '3'])(
    'W7: a tail of %s events is refused',
    (tailEvents) => {
      const failure = fault(() => single({ tailEvents } as never));
      expect(isInvalidArgument(failure)).toBe(true);
    },
  );

  it.each([null, 'abc', 5, {}, new ArrayBuffer(16)])('W9: %s is no bookmark', (startFromBookmark) => {
    const failure = fault(() => single({ startFromBookmark } as never));
    expect(isInvalidBookmark(failure)).toBe(true);
  });

  it.each([null, 5])('R14: %s is no id query', (id) => {
    expect(isInvalidArgument(fault(() => ofKind({ id } as never)))).toBe(true);
  });

  it('W9: a bookmark that is overwritten after the call is sent as it was', () => {
    const startFromBookmark = Uint8Array.of(1, 2, 3);
    const request = single({ startFromBookmark });
    startFromBookmark.fill(0);
    expect(request.options?.startFromBookmark).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('N2: presence tells what is asked for, and the options are always there', () => {
    const empty = single({ startFromBookmark: new Uint8Array(0) }, '');
    expect(empty).toMatchObject({ id: '', apiVersion: 1, options: { startFromBookmark: new Uint8Array(0) } });
    const all = ofKind({}, true);
    expect(all.id).toBeUndefined();
    expect(all.options).toMatchObject({ aggregated: true, labelQuery: [] });
    expect(all.options?.idQuery).toBeUndefined();
  });

  it('N2: a term that compares with nothing is sent as one that means the same', () => {
    const labels = [{ key: 'k', op: 'lt', value: [], invert: true }] as const;
    const [query] = ofKind({ labels }).options?.labelQuery ?? [];
    expect(query?.terms).toMatchObject([{ key: 'k', op: 0, value: [], invert: false }]);
  });
});
