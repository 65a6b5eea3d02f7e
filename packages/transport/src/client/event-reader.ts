import type { Kind } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { readEvents } from './events.js';
import { MessageMemory } from './message-memory.js';
import { sharedEvent } from './shared-event.js';

/** Reads the messages of the watches of one client: those that several watches of a kind get, once for all of them. */
export class EventReader {
  readonly #sameBytes: ((a: Uint8Array, b: Uint8Array) => boolean) | undefined;
  /** By kind: what is read depends on nothing else beside the message. */
  readonly #kinds = new Map<string, { readonly memory: MessageMemory<readonly Event[]>; watches: number }>();

  /** @param sameBytes compares bytes in much less time than it takes to decode them; undefined where nothing does */
  constructor(sameBytes: ((a: Uint8Array, b: Uint8Array) => boolean) | undefined) {
    this.#sameBytes = sameBytes;
  }

  /** A watch of the kind begins. Gives a function that reads its messages, and one to be called when it has ended. */
  watch(kind: Kind): { read: (message: Uint8Array) => readonly Event[]; end: () => void } {
    const sameBytes = this.#sameBytes;
    if (sameBytes === undefined) return { read: (message) => readEvents(message, kind), end() {} };
    const key = JSON.stringify([kind.namespace, kind.type]);
    let known = this.#kinds.get(key);
    if (known === undefined) {
      known = { memory: new MessageMemory(sameBytes), watches: 0 };
      this.#kinds.set(key, known);
    }
    const shared = known;
    shared.watches++;
    let ended = false;
    const end = () => {
      if (ended) return;
      ended = true;
      if (--shared.watches === 0) this.#kinds.delete(key);
    };
    const read = (message: Uint8Array) => {
      if (shared.watches < 2) return readEvents(message, kind);
      const remembered = shared.memory.get(message);
      if (remembered !== undefined) return remembered;
      const events = readEvents(message, kind);
      if (!isWorthRemembering(events)) return events;
      const forAll = Object.freeze(events.map(sharedEvent));
      shared.memory.set(message, forAll);
      return forAll;
    };
    return { read, end };
  }
}

/** A bootstrap is one watch's own: its events have no bookmarks. */
function isWorthRemembering(events: readonly Event[]): boolean {
  const last = events.at(-1);
  return last !== undefined && 'bookmark' in last;
}
