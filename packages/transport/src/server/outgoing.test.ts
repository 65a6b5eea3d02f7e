import { fromBinary } from '@bufbuild/protobuf';
import { bytesOf, wire } from '@cosi-ts/proto';
import { defineResource, isResourceExhausted, OverrunError, type Resource, Timestamp } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { describe, expect, it, vi } from 'vitest';
import { goMaxMessageBytes } from '../limits.js';
import { Outgoing } from './outgoing.js';

const Blob = defineResource<{ text: string }>({ type: 'Blobs.test', namespace: 'a' });
const mebibytes = (count: number) => Math.floor(count * 1024 * 1024);

/** The spec is sent twice: as a message and as YAML. */
const blob = (bytes: number) => Blob.new('x', { text: 'x'.repeat(bytes / 2) });

function outgoing(maxMessageBytes = mebibytes(16)) {
  const warn = vi.fn();
  const logger = { warn, error: vi.fn() };
  const sender = new Outgoing({ types: undefined, maxMessageBytes, logger });
  return {
    warn,
    event: (event: Event) => fromBinary(wire.WatchResponseSchema, bytesOf(sender.event(event))).event[0] as wire.Event,
    resource: (resource: Resource) =>
      fromBinary(wire.GetResponseSchema, bytesOf(sender.resource(resource, false))).resource as wire.Resource,
    sender,
  };
}

const updated = (resource: Resource, old: Resource) =>
  ({ type: 'updated', resource, old, bookmark: new Uint8Array([1]) }) as const;

describe('Outgoing', () => {
  it('W3: an update goes without the resource before when the two exceed 4 MiB', () => {
    const fits = outgoing().event(updated(blob(mebibytes(1.9)), blob(mebibytes(1.9))));
    expect(fits.old).toBeDefined();
    const { event: send, warn } = outgoing();
    const event = send(updated(blob(mebibytes(2.1)), blob(mebibytes(2.1))));
    expect(event.old).toBeUndefined();
    expect(event.bookmark).toEqual(new Uint8Array([1]));
    expect(warn).not.toHaveBeenCalled();
  });

  it('W3: the limit is about the message as it is sent', () => {
    const { sender } = outgoing();
    const sizes = new Set<boolean>();
    for (let bytes = goMaxMessageBytes / 2 - 400; bytes < goMaxMessageBytes / 2; bytes += 20) {
      const { length } = sender.event(updated(blob(bytes), blob(bytes)));
      expect(length).toBeLessThanOrEqual(goMaxMessageBytes);
      sizes.add(length > goMaxMessageBytes - 48);
    }
    // The last one that fits fits closely.
    expect(sizes).toContain(true);
  });

  it('N6: what default Go clients cannot take is warned of once', () => {
    const { sender, warn } = outgoing();
    sender.resource(blob(mebibytes(3.9)), true);
    expect(warn).not.toHaveBeenCalled();
    sender.resource(blob(mebibytes(4.1)), true);
    sender.event({ type: 'created', resource: blob(mebibytes(4.1)) });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ type: 'Blobs.test', id: 'x' }), expect.any(String));
  });

  it('N6: what exceeds the limit is refused, with the resource and the limit named', () => {
    const { sender, resource } = outgoing(mebibytes(1));
    expect(resource(blob(mebibytes(0.9))).metadata?.id).toBe('x');
    const failure = fault(() => sender.resource(blob(mebibytes(1.1)), true));
    expect(isResourceExhausted(failure)).toBe(true);
    expect(String(failure)).toMatch(/Blobs\.test\(a\/x\).*1048576/);
    expect(isResourceExhausted(fault(() => sender.event({ type: 'created', resource: blob(mebibytes(2)) })))).toBe(
      true,
    );
  });

  it('W3: an errored event carries its text, cut to a length', () => {
    const event = outgoing().event({ type: 'errored', error: new Error('x'.repeat(5000)) });
    expect(event.eventType).toBe(wire.EventType.ERRORED);
    expect([event.resource, event.bookmark]).toEqual([undefined, undefined]);
    expect(event.error?.length).toBeLessThan(2049);
  });

  it('W12: an overrun says its positions, however long the names are', () => {
    const kind = { namespace: 'n'.repeat(1024), type: 't'.repeat(1024) };
    const { error } = outgoing().event({ type: 'errored', error: new OverrunError(kind, 1n, 22n, 3) });
    expect(error).toMatch(/^buffer overrun: namespace "n{64}…" type "t{64}…".* 22, 3 events are kept$/);
  });

  it('N2: spec and times are there, with the YAML of the declaration', () => {
    const resource = outgoing().resource(Blob.new('x', { text: 'word' }));
    expect(resource.spec?.yamlSpec).toBe('text: word\n');
    expect(resource.metadata?.created).toMatchObject({ seconds: BigInt(Timestamp.epoch.seconds) });
  });
});

function fault(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
