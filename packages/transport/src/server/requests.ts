import { decodeResource, fromWireIdQuery, fromWireLabelQueries, fromWireResource, type wire } from '@cosi-ts/proto';
import { InvalidArgumentError, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import type { CallOptions, QueryOptions } from '@cosi-ts/state';
import type { Call } from './call.js';

/**
 * Reads the resource of a request, which is a message or the bytes of one. Throws `invalid-argument` when it is missing
 * or malformed.
 */
export function requestedResource(resource: wire.Resource | Uint8Array | undefined): Resource {
  if (resource === undefined) throw new InvalidArgumentError('the request has no resource');
  const options = { fault: 'invalid-argument', wellFormed: true } as const;
  return resource instanceof Uint8Array ? decodeResource(resource, options) : fromWireResource(resource, options);
}

/** Throws `unsupported` for an unknown label operation. */
export function requestedQuery(options: wire.ListOptions | wire.WatchOptions | undefined): QueryOptions {
  return { labels: fromWireLabelQueries(options?.labelQuery ?? []), id: fromWireIdQuery(options?.idQuery) };
}

export function requestedKind({ namespace, type }: Kind): Kind {
  return { namespace, type };
}

export function requestedPointer({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}

export function callOptions(call: Call): CallOptions {
  return { signal: call.signal, context: call.context };
}
