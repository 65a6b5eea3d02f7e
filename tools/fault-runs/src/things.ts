import { defineResource, label, type Resource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';

const namespace = 'faults';

/** What the writers write. */
export const Thing = defineResource<{ n: number }>({ type: 'Things.faults.cosi.dev', namespace });

/** What the controller makes of each thing. */
export const Double = defineResource<{ n: number }>({ type: 'Doubles.faults.cosi.dev', namespace });

/** Many and large, so that a bootstrap takes a while. */
export const Stone = defineResource<{ n: number; text: string }>({ type: 'Stones.faults.cosi.dev', namespace });

/** The thing that is watched by itself. */
export const watchedId = 'thing-0';

/** The things whose number is even have that label. */
export const even = label('parity').is('even');

/** An event, with its position where it has one: bookmarks of several openings of a store name the same positions. */
export function eventText(event: Event): string {
  if (event.type === 'errored') return `errored ${event.error}`;
  const position = event.bookmark === undefined ? '' : ` at ${positionOf(event.bookmark)}`;
  if (event.type === 'bootstrapped' || event.type === 'noop') return `${event.type}${position}`;
  const old = event.type === 'updated' && event.old !== undefined ? ` after ${stateText(event.old)}` : '';
  return `${event.type} ${event.resource.metadata.id} ${stateText(event.resource)}${old}${position}`;
}

function stateText(resource: Resource): string {
  return `v${resource.metadata.version}=${Thing.from(resource).spec.n}`;
}

function positionOf(bookmark: Uint8Array): bigint {
  return Buffer.from(bookmark).readBigUInt64BE(8);
}
