import { fromWireIdQuery, fromWireLabelQueries, fromWireResource, type wire } from '@cosi-ts/proto';
import { InvalidArgumentError, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import type { CallOptions, QueryOptions } from '@cosi-ts/state';
import type { Call } from './call.js';

/** Reads the resource of a request. Throws `invalid-argument` when it is missing or malformed. */
export function requestedResource(message: wire.Resource | undefined): Resource {
  if (message === undefined) throw new InvalidArgumentError('the request has no resource');
  return fromWireResource(message, { fault: 'invalid-argument' });
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
