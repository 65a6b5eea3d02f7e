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
   * An updated event goes without the resource before where default Go clients could not take both. Throws
   * `resource-exhausted` when the event is larger than a message may be.
   */
  event(event: Event): PlacedItem {
    if (event.type === 'errored') return new EventItem(errored(event.error));
    const { resource, bookmark } = event;
    const eventType = eventTypes[event.type];
    const encoded = this.#encode(resource);
    const old = event.type === 'updated' && event.old !== undefined ? this.#encode(event.old) : undefined;
    let item = new EventItem({ eventType, resource: encoded, old, bookmark });
    if (item.length > goMaxMessageBytes && old !== undefined) {
      item = new EventItem({ eventType, resource: encoded, bookmark });
    }
    this.#checkSize(item.length, resource.metadata);
    return item;
  }

  #encode(resource: Resource): Uint8Array {
    return encodeResource(resource, { types: this.#types });
  }

  #checkSize(bytes: number, pointer: Pointer): void {
    if (bytes > this.#maxBytes) {
      throw new ResourceExhaustedError(
        `resource ${pointerText(pointer)} makes a message of ${bytes} bytes, more than the limit of ${this.#maxBytes}`,
        { subject: pointer },
      );
    }
    if (this.#warned || bytes <= goMaxMessageBytes) return;
    this.#warned = true;
    const fields = { namespace: pointer.namespace, type: pointer.type, id: pointer.id, bytes };
    this.#logger.warn(fields, 'a resource is too large for Go clients that accept messages of 4 MiB, their default');
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
