import { describe, expect, it } from 'vitest';
import { eventText, type Line } from './journal.js';
import { type Found, type FoundEvent, type Known, Model } from './model.js';

const create = (n: number, id: string, text = `text ${n}`): Line => ({
  is: 'intent',
  n,
  op: 'create',
  namespace: 'ns',
  id,
  text,
});
const acknowledged = (n: number): Line => ({ is: 'acknowledged', n });
const seen = (position: number, event: string): Line => ({
  is: 'seen',
  namespace: 'ns',
  event,
  bookmark: String(position),
});

const event = (position: number, id: string, text: string, type = 'created', version = 1n): FoundEvent => ({
  position,
  type,
  id,
  version,
  text,
});

function found(resources: Record<string, Known>, events: readonly FoundEvent[]): Found {
  return {
    resources: new Map(Object.entries(resources).map(([id, known]) => [`ns/${id}`, known])),
    events: new Map([['ns', events]]),
    position: events.at(-1)?.position ?? 0,
    floor: 0,
  };
}

function problems(lines: readonly Line[], what: Found): string[] {
  return new Model().check(lines, what, Number).map(({ is }) => is);
}

const a: Known = { version: 1n, text: 'text 1' };
const one = [create(1, 'a'), acknowledged(1)];

describe('Model', () => {
  it('finds nothing wrong with what was acknowledged, nor with a write that nobody was told of', () => {
    expect(problems(one, found({ a }, [event(1, 'a', 'text 1')]))).toEqual([]);
    expect(problems([...one, create(2, 'b')], found({ a }, [event(1, 'a', 'text 1')]))).toEqual([]);
    const both = { a, b: { version: 1n, text: 'text 2' } };
    const events = [event(1, 'a', 'text 1'), event(2, 'b', 'text 2')];
    expect(problems([...one, create(2, 'b')], found(both, events))).toEqual([]);
  });

  it('finds a write that was lost, its event too', () => {
    expect(problems(one, found({}, []))).toEqual(['lost', 'lost']);
    expect(problems(one, found({ a }, []))).toContain('lost');
  });

  it('finds what nobody wrote', () => {
    expect(problems([], found({ a }, [event(1, 'a', 'text 1')]))).toContain('phantom');
    expect(problems(one, found({ a: { version: 1n, text: 'other' } }, [event(1, 'a', 'text 1')]))).toContain('phantom');
  });

  it('finds half of a write', () => {
    expect(problems([create(1, 'a')], found({ a }, []))).toContain('lost');
    expect(problems([create(1, 'a')], found({}, [event(1, 'a', 'text 1')]))).toContain('phantom');
  });

  it('finds events that do not follow each other, and gaps', () => {
    const updated = event(1, 'a', 'text 1', 'updated', 1n);
    expect(problems(one, found({ a }, [event(1, 'a', 'text 1'), { ...updated, position: 2 }]))).toContain('disorder');
    expect(problems(one, found({ a }, [event(2, 'a', 'text 1')]))).toContain('disorder');
  });

  it('finds a watcher that was given an event twice, or missed one', () => {
    const first = eventText('created', 'a', 1n, 'text 1');
    const state = found({ a }, [event(1, 'a', 'text 1')]);
    const start: Line = { is: 'seen', namespace: 'ns', bookmark: '0', anew: true };
    expect(problems([...one, start, seen(1, first)], state)).toEqual([]);
    expect(problems([...one, start, seen(1, first), seen(1, first)], state)).toEqual(['wrong resume']);
    expect(problems([...one, start, seen(1, 'created b@1 text 1')], state)).toEqual(['wrong resume']);
  });
});
