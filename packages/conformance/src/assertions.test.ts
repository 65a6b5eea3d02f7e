import { NotFoundError, tombstone } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { equal, refusesChange, rejectsAs, rejectsWith, sameResource } from './assertions.js';
import { Items, namespace } from './items.js';
import { eventText, show } from './show.js';

const item = (value: number, labels = {}) => Items.new('a', { value }, { labels });

describe('assertions', () => {
  it('compare data whatever the order of its keys, and show both', () => {
    equal({ a: 1, b: [2n, undefined] }, { b: [2n, undefined], a: 1 }, 'the same');
    expect(() => equal({ a: 1 }, { a: 1, b: undefined }, 'the thing')).toThrow(
      'the thing\n  expected: {"a":1,"b":"(undefined)"}\n  found:    {"a":1}',
    );
    expect(() => equal(1n, 1, 'numbers')).toThrow();
    expect(() => equal(Uint8Array.of(1, 255), Uint8Array.of(1), 'bytes')).toThrow('bytes 01ff');
  });

  it('compare all of a resource', () => {
    sameResource(item(1), item(1), 'the same');
    expect(() => sameResource(item(1), item(2), 'the spec')).toThrow('the spec');
    expect(() => sameResource(item(1, { x: 'y' }), item(1), 'the labels')).toThrow('the labels');
  });

  it('check what a call rejects with', async () => {
    const pointer = { namespace, type: Items.type, id: 'a' };
    const failing = () => Promise.reject(new NotFoundError(pointer));
    await rejectsWith(failing(), 'not-found', 'get', pointer);
    await expect(rejectsWith(failing(), 'owner-conflict', 'get')).rejects.toThrow('expected code owner-conflict');
    await expect(rejectsWith(failing(), 'not-found', 'get', Items.at('b'))).rejects.toThrow('the pointer');
    await expect(rejectsWith(Promise.resolve(7), 'not-found', 'get')).rejects.toThrow('expected a rejection, found 7');
    await expect(rejectsWith(Promise.reject(new Error('no')), 'not-found', 'get')).rejects.toThrow('Error: no');
    const reason = {};
    await rejectsAs(Promise.reject(reason), reason, 'the call');
    await expect(rejectsAs(Promise.reject({}), reason, 'the call')).rejects.toThrow('the call');
  });

  it('check that something cannot be changed', () => {
    const loose = { a: 1 };
    const change = () => {
      loose.a = 2;
    };
    expect(() => refusesChange(change, 'it')).toThrow('it can be changed');
    Object.freeze(loose);
    refusesChange(change, 'it');
  });
});

describe('events as texts', () => {
  it('name type, id and version', () => {
    const stored = item(1).withMetadata(item(1).metadata.with({ version: 3n }));
    const { created } = stored.metadata;
    const error = new NotFoundError(stored.metadata);
    expect(eventText({ type: 'updated', resource: stored, old: item(0) })).toBe('updated a@3');
    expect(eventText({ type: 'destroyed', resource: tombstone(Items.at('a'), created) })).toBe('destroyed a@-');
    expect(eventText({ type: 'noop', resource: stored })).toBe('noop');
    expect(eventText({ type: 'errored', error })).toBe('errored not-found');
    expect(show([{ type: 'created', resource: stored }])).toBe('["created a@3"]');
  });
});
