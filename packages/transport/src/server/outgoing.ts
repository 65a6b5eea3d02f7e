import { create } from '@bufbuild/protobuf';
import { type TypeLookup, toWireResource, wire } from '@cosi-ts/proto';
import { isCosiError, type Pointer, pointerText, type Resource, ResourceExhaustedError } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { goMaxMessageBytes } from '../limits.js';
import type { Logger } from '../logger.js';
import { eventSizeBound, resourceSizeBound, sizeNear } from '../wire-size.js';
import { statusText } from './status-text.js';

export interface OutgoingOptions {
  /** The declarations by which specs are printed that no declaration of their own came with. */
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
  readonly logger: Logger;
}

/** What a response adds to the resource or event in it. */
const responseBytes = 16;

/** Turns resources and events into messages, and sees to it that peers can take them. */
export class Outgoing {
  readonly #types: TypeLookup | undefined;
  readonly #maxBytes: number;
  /** Sizes below are not worth being exact about. */
  readonly #exactFrom: number;
  readonly #logger: Logger;
  #warned = false;

  constructor(options: OutgoingOptions) {
    this.#types = options.types;
    this.#maxBytes = options.maxMessageBytes;
    this.#exactFrom = Math.min(options.maxMessageBytes, goMaxMessageBytes) - responseBytes;
    this.#logger = options.logger;
  }

  /** Throws `resource-exhausted` when the resource is larger than a message may be. */
  resource(resource: Resource): wire.Resource {
    const message = this.#toWire(resource);
    const bytes = sizeNear(this.#exactFrom, resourceSizeBound(message), wire.ResourceSchema, message);
    this.#checkSize(bytes + responseBytes, resource.metadata);
    return message;
  }

  /**
   * An updated event goes without the resource before where default Go clients could not take both. Throws
   * `resource-exhausted` when the event is larger than a message may be.
   */
  event(event: Event): wire.Event {
    const message = this.#eventMessage(event);
    let bytes = this.#eventBytes(message);
    if (bytes > goMaxMessageBytes - responseBytes && message.old !== undefined) {
      delete message.old;
      bytes = this.#eventBytes(message);
    }
    if (event.type !== 'errored') this.#checkSize(bytes + responseBytes, event.resource.metadata);
    return message;
  }

  #eventBytes(message: wire.Event): number {
    return sizeNear(this.#exactFrom, eventSizeBound(message), wire.EventSchema, message);
  }

  #eventMessage(event: Event): wire.Event {
    if (event.type === 'errored') {
      const subject = isCosiError(event.error) ? event.error.subject : undefined;
      const error = statusText(event.error.message, subject);
      return create(wire.EventSchema, { eventType: wire.EventType.ERRORED, error });
    }
    const message = create(wire.EventSchema, {
      eventType: eventTypes[event.type],
      resource: this.#toWire(event.resource),
    });
    if (event.type === 'updated' && event.old !== undefined) message.old = this.#toWire(event.old);
    if (event.bookmark !== undefined) message.bookmark = event.bookmark;
    return message;
  }

  #toWire(resource: Resource): wire.Resource {
    return toWireResource(resource, { types: this.#types });
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

const eventTypes = {
  created: wire.EventType.CREATED,
  updated: wire.EventType.UPDATED,
  destroyed: wire.EventType.DESTROYED,
  bootstrapped: wire.EventType.BOOTSTRAPPED,
  noop: wire.EventType.NOOP,
} as const;
