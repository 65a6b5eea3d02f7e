import {
  type EncodedEvent,
  EventItem,
  encodeResource,
  type PlacedItem,
  ResourceResponse,
  type TypeLookup,
  wire,
} from '@cosi-ts/proto';
import { isCosiError, type Pointer, pointerText, type Resource, ResourceExhaustedError } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { goMaxMessageBytes } from '../limits.js';
import type { Logger } from '../logger.js';
import { statusText } from './status-text.js';

export interface OutgoingOptions {
  /** The declarations by which specs are printed that no declaration of their own came with. */
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
  readonly logger: Logger;
}

/** So many times larger than its request a resource can become, when its spec is printed as YAML. */
const maxGrowth = 64;

/** What a state adds, and what is around a resource in an answer or an event: version, times, phase, bookmark, lengths. */
const addedBytes = 256;

const utf8 = new TextEncoder();

/** Encodes resources and events, once for all who are sent them, and sees to it that peers can take them. */
export class Outgoing {
  readonly #types: TypeLookup | undefined;
  readonly #maxBytes: number;
  readonly #logger: Logger;
  #warned = false;

  constructor(options: OutgoingOptions) {
    this.#types = options.types;
    this.#maxBytes = options.maxMessageBytes;
    this.#logger = options.logger;
  }

  /**
   * The message that answers with the resource. Throws `resource-exhausted` when it is larger than a message may be.
   *
   * @param keep whether the bytes are kept with the snapshot. Those of a list are not: it would take twice as much for
   *   all there is. Bytes that are there already are used in any case.
   */
  resource(resource: Resource, keep: boolean): PlacedItem {
    const message = new ResourceResponse(encodeResource(resource, { types: this.#types, keep }));
    this.#checkSize(message.length, resource.metadata);
    return message;
  }

  /**
   * The event as it stands in a message, which is one or more of them. The bytes of the resources in it are kept with
   * these: the next watch is sent them, too, and the next update as what was before.
   *
   * An updated event goes without the resource before where default Go clients could not take both, or the limit is lower. Throws
   * `resource-exhausted` when the event is larger than a message may be.
   */
  event(event: Event): PlacedItem {
    if (event.type === 'errored') return new EventItem(errored(event.error));
    const { resource, bookmark } = event;
    const eventType = eventTypes[event.type];
    const encoded = this.#encode(resource);
    const old = event.type === 'updated' && event.old !== undefined ? this.#encode(event.old) : undefined;
    let item = new EventItem({ eventType, resource: encoded, old, bookmark });
    if (item.length > Math.min(goMaxMessageBytes, this.#maxBytes) && old !== undefined) {
      item = new EventItem({ eventType, resource: encoded, bookmark });
    }
    this.#checkSize(item.length, resource.metadata);
    return item;
  }

  /**
   * Throws `resource-exhausted` for a resource that could be written but never be sent: every list and watch of its kind
   * would fail from then on.
   *
   * @param requestBytes the size of the request it came in, where that is known. One that is far from the limit is not
   *   looked at: encoding would take longer than all else that a write takes here.
   */
  checkWritable(resource: Resource, owner: string, requestBytes: number | undefined): void {
    if (requestBytes !== undefined && requestBytes * maxGrowth < this.#maxBytes) return;
    const { length } = encodeResource(resource, { types: this.#types, keep: false });
    const bytes = length + utf8.encode(owner).length + addedBytes;
    if (bytes > this.#maxBytes) throw this.#tooLarge(bytes, resource.metadata);
  }

  #encode(resource: Resource): Uint8Array {
    return encodeResource(resource, { types: this.#types });
  }

  #checkSize(bytes: number, pointer: Pointer): void {
    if (bytes > this.#maxBytes) throw this.#tooLarge(bytes, pointer);
    if (this.#warned || bytes <= goMaxMessageBytes) return;
    this.#warned = true;
    const fields = { namespace: pointer.namespace, type: pointer.type, id: pointer.id, bytes };
    this.#logger.warn(fields, 'a resource is too large for Go clients that accept messages of 4 MiB, their default');
  }

  #tooLarge(bytes: number, pointer: Pointer): ResourceExhaustedError {
    return new ResourceExhaustedError(
      `resource ${pointerText(pointer)} makes a message of ${bytes} bytes, more than the limit of ${this.#maxBytes}`,
      { subject: pointer },
    );
  }
}

function errored(error: Error): EncodedEvent {
  const subject = isCosiError(error) ? error.subject : undefined;
  return { eventType: wire.EventType.ERRORED, error: statusText(error.message, subject) };
}

const eventTypes = {
  created: wire.EventType.CREATED,
  updated: wire.EventType.UPDATED,
  destroyed: wire.EventType.DESTROYED,
  bootstrapped: wire.EventType.BOOTSTRAPPED,
  noop: wire.EventType.NOOP,
} as const;
