import { CorruptError, type Kind, type Pointer } from '@cosi-ts/resource';
import type { Epoch, EventLog, LoggedEvent, LogPage, Marshaler } from '@cosi-ts/state-inmem';
import type { Connection } from './connection.js';
import { decodeEvent, type EventRecord, eventPointer } from './event-record.js';
import { eventRange, keyNumber, subjectBytes } from './keys.js';
import type { Entry, Ledger } from './ledger.js';
import type { Opening } from './openings.js';
import { unmarshalAt } from './records.js';

/** How many events are looked at in one step, whether they are about what is asked for or not. */
const pageEvents = 1000;

/** An event of a page that is about what was asked for. */
interface Match {
  readonly position: number;
  readonly event: EventRecord;
}

/** The events of the past, of all namespaces. */
export class StoreLog implements EventLog {
  readonly #connection: Connection;
  readonly #marshaler: Marshaler;
  readonly #ledger: Ledger;
  #openings: readonly Opening[];
  #position: number;

  constructor(connection: Connection, marshaler: Marshaler, ledger: Ledger, openings: readonly Opening[]) {
    this.#connection = connection;
    this.#marshaler = marshaler;
    this.#ledger = ledger;
    this.#openings = openings;
    this.#position = ledger.extent.position;
  }

  get position(): number {
    return this.#position;
  }

  get floor(): number {
    return this.#ledger.extent.floor;
  }

  get epochs(): readonly Epoch[] {
    return this.#openings;
  }

  get openings(): readonly Opening[] {
    return this.#openings;
  }

  /** The change at that position is about to become visible. */
  advance(position: number): void {
    this.#position = position;
  }

  /** Those openings are not kept any more. */
  forget(outdated: readonly Opening[]): void {
    this.#openings = this.#openings.filter((opening) => !outdated.includes(opening));
  }

  async read(subject: Kind | Pointer, after: number, upTo: number): Promise<LogPage | undefined> {
    const about = matcher(subject);
    if (after < this.floor) return undefined;
    const entries = await this.#entries(after, upTo, false);
    const matches: Match[] = [];
    let through = after;
    for (const entry of entries) {
      const position = keyNumber(entry[0]);
      if (position !== through + 1) break;
      through = position;
      const event = eventOf(entry, position);
      if (about(event)) matches.push({ position, event });
    }
    if (through === after && after < upTo) {
      // It was there when the reading began, or the log was compacted in between.
      if (after < this.floor) return undefined;
      throw missing(after + 1);
    }
    return { events: await this.#logged(matches), through };
  }

  async last(subject: Kind | Pointer, count: number, upTo: number): Promise<readonly LoggedEvent[]> {
    const about = matcher(subject);
    const matches: Match[] = [];
    let expected = upTo;
    while (matches.length < count && expected > this.floor) {
      const entries = await this.#entries(this.floor, expected, true);
      const begin = expected;
      for (const entry of entries) {
        const position = keyNumber(entry[0]);
        if (position !== expected || matches.length === count) break;
        expected--;
        const event = eventOf(entry, position);
        if (about(event)) matches.push({ position, event });
      }
      if (expected === begin && expected > this.floor) throw missing(expected);
    }
    return this.#logged(matches.reverse());
  }

  #entries(after: number, through: number, reverse: boolean): Promise<Entry[]> {
    const range = eventRange(after, through);
    return this.#connection.use((database) => database.read(range, { limit: pageEvents, reverse }));
  }

  #logged(matches: readonly Match[]): Promise<LoggedEvent[]> {
    return Promise.all(matches.map((match) => loggedEvent(this.#marshaler, match)));
  }
}

/** Reads the records of an event. Throws `corrupt`, naming the event. */
export async function loggedEvent(marshaler: Marshaler, { position, event }: Match): Promise<LoggedEvent> {
  const pointer = eventPointer(event);
  if (pointer === undefined) throw damaged(position);
  const place = { ...pointer, position };
  const resource = await unmarshalAt(marshaler, event.resource, place);
  if (event.type !== 'updated') return { type: event.type, resource, position };
  const old = await unmarshalAt(marshaler, event.old ?? new Uint8Array(0), place);
  return { type: 'updated', resource, old, position };
}

function eventOf([key, value]: Entry, position: number): EventRecord {
  const event = decodeEvent(key, value);
  if (event === undefined) throw damaged(position);
  return event;
}

/** Whether an event is about the subject. */
function matcher(subject: Kind | Pointer): (event: EventRecord) => boolean {
  const bytes = subjectBytes(subject);
  if ('id' in subject) return (event) => Buffer.compare(event.subject, bytes) === 0;
  return (event) => Buffer.compare(event.subject.subarray(0, bytes.length), bytes) === 0;
}

function damaged(position: number): CorruptError {
  return new CorruptError(`event ${position} of the store's log is damaged`);
}

function missing(position: number): CorruptError {
  return new CorruptError(`event ${position} is missing from the store's log`);
}
