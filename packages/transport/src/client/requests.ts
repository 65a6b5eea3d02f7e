import { create } from '@bufbuild/protobuf';
import { toWireIdQuery, toWireLabelQueries, wire } from '@cosi-ts/proto';
import { InvalidArgumentError, InvalidBookmarkError, type Kind, type Pointer, type Subject } from '@cosi-ts/resource';
import type { QueryOptions, WatchKindOptions, WatchOptions } from '@cosi-ts/state';

/** The version whose watches have bootstrapped and errored events. */
const apiVersion = 1;

/** The largest number that `tail_events` holds. */
const maxTailEvents = 2 ** 31 - 1;

/** The parts of a kind. Throws `invalid-argument` for text that cannot be sent as it is. */
export function wireKind({ namespace, type }: Kind): Kind {
  const kind = { namespace, type };
  checkText(namespace, 'namespace', kind);
  checkText(type, 'type', kind);
  return kind;
}

/** The parts of a pointer. Throws `invalid-argument` for text that cannot be sent as it is. */
export function wirePointer(pointer: Pointer): Pointer {
  const { id } = pointer;
  const parts = { ...wireKind(pointer), id };
  checkText(id, 'id', parts);
  return parts;
}

export function wireOwner(owner: string, subject: Subject): string {
  checkText(owner, 'owner', subject);
  return owner;
}

/** A lone surrogate has no UTF-8 form: another text than was meant would arrive. */
function checkText(text: string, field: string, subject: Subject): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw new InvalidArgumentError(`${field} ${JSON.stringify(text.slice(0, 64))} has a lone surrogate`, { subject });
}

export function wireQuery({ labels, id }: QueryOptions): Pick<wire.ListOptions, 'labelQuery' | 'idQuery'> {
  const labelQuery = toWireLabelQueries(labels);
  const idQuery = toWireIdQuery(id);
  return idQuery === undefined ? { labelQuery } : { labelQuery, idQuery };
}

export function watchRequest(pointer: Pointer, options: WatchOptions): wire.WatchRequest {
  return create(wire.WatchRequestSchema, { ...wirePointer(pointer), options: wireStart(options), apiVersion });
}

export function watchKindRequest(kind: Kind, options: WatchKindOptions, aggregated: boolean): wire.WatchRequest {
  return create(wire.WatchRequestSchema, {
    ...wireKind(kind),
    options: {
      ...wireStart(options),
      ...wireQuery(options),
      bootstrapContents: options.bootstrapContents ?? false,
      bootstrapBookmark: options.bootstrapBookmark ?? false,
      aggregated,
    },
    apiVersion,
  });
}

/** Throws `invalid-argument` for a number of events that is none, `invalid-bookmark` for what is no bookmark. */
function wireStart({ tailEvents = 0, startFromBookmark }: WatchOptions): {
  tailEvents: number;
  startFromBookmark?: Uint8Array;
} {
  if (!Number.isInteger(tailEvents)) {
    throw new InvalidArgumentError(`tailEvents must be an integer, not ${tailEvents}`);
  }
  const tail = { tailEvents: Math.min(Math.max(0, tailEvents), maxTailEvents) };
  if (startFromBookmark === undefined) return tail;
  if (!(startFromBookmark instanceof Uint8Array)) throw new InvalidBookmarkError('it is malformed');
  // A copy: messages are encoded later.
  return { ...tail, startFromBookmark: new Uint8Array(startFromBookmark) };
}
