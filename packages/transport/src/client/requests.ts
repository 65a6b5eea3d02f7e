import { create } from '@bufbuild/protobuf';
import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { toWireIdQuery, toWireLabelQueries, wire } from '@cosi-ts/proto';
import { InvalidArgumentError, InvalidBookmarkError, type Kind, type Pointer, type Subject } from '@cosi-ts/resource';
import type { QueryOptions, WatchKindOptions } from '@cosi-ts/state';
import type { Start } from './resume/start.js';

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

/** Looked for first: names have none, and the check of the whole text takes longer. */
const surrogate = /[\ud800-\udfff]/;

/** A lone surrogate has no UTF-8 form: another text than was meant would arrive. */
function checkText(text: string, field: string, subject: Subject): void {
  if (!surrogate.test(text) || getTextEncoding().checkUtf8(text)) return;
  throw new InvalidArgumentError(`${field} ${JSON.stringify(text.slice(0, 64))} has a lone surrogate`, { subject });
}

export function wireQuery({ labels, id }: QueryOptions): Pick<wire.ListOptions, 'labelQuery' | 'idQuery'> {
  const labelQuery = toWireLabelQueries(labels);
  const idQuery = toWireIdQuery(id);
  return idQuery === undefined ? { labelQuery } : { labelQuery, idQuery };
}

/** What a watch is of and which events it is to bring, however often it is established. */
export interface WatchTarget {
  readonly namespace: string;
  readonly type: string;
  /** Absent: the whole kind. */
  readonly id?: string;
  readonly query: Pick<wire.ListOptions, 'labelQuery' | 'idQuery'>;
}

export function pointerTarget(pointer: Pointer): WatchTarget {
  return { ...wirePointer(pointer), query: { labelQuery: [] } };
}

export function kindTarget(kind: Kind, options: QueryOptions): WatchTarget {
  return { ...wireKind(kind), query: wireQuery(options) };
}

export function watchRequest({ query, ...target }: WatchTarget, start: Start, aggregated: boolean): wire.WatchRequest {
  const { bookmark, bootstrap, noop, tailEvents } = start;
  return create(wire.WatchRequestSchema, {
    ...target,
    options: {
      ...query,
      tailEvents,
      bootstrapContents: bootstrap,
      bootstrapBookmark: noop,
      aggregated,
      ...(bookmark !== undefined && { startFromBookmark: bookmark }),
    },
    apiVersion,
  });
}

/** Throws `invalid-argument` for a number of events that is none, `invalid-bookmark` for what is no bookmark. */
export function askedStart(options: WatchKindOptions): Start {
  const { tailEvents = 0, startFromBookmark, bootstrapContents = false, bootstrapBookmark = false } = options;
  if (!Number.isInteger(tailEvents)) {
    throw new InvalidArgumentError(`tailEvents must be an integer, not ${tailEvents}`);
  }
  if (startFromBookmark !== undefined && !(startFromBookmark instanceof Uint8Array)) {
    throw new InvalidBookmarkError('it is malformed');
  }
  return {
    // A copy: it is sent later, and may be again.
    bookmark: startFromBookmark === undefined ? undefined : new Uint8Array(startFromBookmark),
    bootstrap: bootstrapContents,
    noop: bootstrapBookmark,
    tailEvents: Math.min(Math.max(0, tailEvents), maxTailEvents),
  };
}
