import { compareUtf8, type Resource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import type { Shape } from './shape.js';

/**
 * The single events of a watch that begins with a bootstrap. When that breaks before its end and begins again, the
 * consumer is given, in the order of ids and before bootstrapped, what differs from what it was given before: created
 * for what is new to it, updated where version or creation differ, destroyed for what is gone.
 */
export class BootstrapComparison implements Shape<Event> {
  /** What the consumer has, while the bootstrap lasts. */
  #given: Map<string, Resource> | undefined = new Map();
  /** What it was given by earlier attempts and this one has not brought, in the order of ids. */
  #missing: Map<string, Resource> = new Map();
  #missingIds: Iterator<string> = [][Symbol.iterator]();
  #nextMissing: string | undefined;

  restart(): void {
    if (this.#given === undefined) return;
    this.#missing = new Map([...this.#given].sort(([a], [b]) => compareUtf8(a, b)));
    this.#missingIds = this.#missing.keys();
    this.#advance();
  }

  add(events: readonly Event[]): readonly Event[] {
    if (this.#given === undefined) return events;
    return events.flatMap((event) => this.#compared(event));
  }

  #compared(event: Event): Event[] {
    const given = this.#given;
    if (given === undefined) return [event];
    if (event.type === 'bootstrapped') {
      const gone = this.#gone(given, undefined);
      this.#given = undefined;
      return [...gone, event];
    }
    if (event.type !== 'created') return [event];
    const { resource } = event;
    const { id } = resource.metadata;
    const gone = this.#gone(given, id);
    const old = this.#missing.get(id);
    this.#missing.delete(id);
    given.set(id, resource);
    if (old === undefined) return [...gone, event];
    return isSame(old, resource) ? gone : [...gone, { type: 'updated', resource, old }];
  }

  /** What was given and should have come before the id, or at all. */
  #gone(given: Map<string, Resource>, before: string | undefined): Event[] {
    const events: Event[] = [];
    while (this.#nextMissing !== undefined) {
      const id = this.#nextMissing;
      if (before !== undefined && compareUtf8(id, before) >= 0) break;
      const resource = this.#missing.get(id);
      if (resource !== undefined) {
        events.push({ type: 'destroyed', resource });
        this.#missing.delete(id);
        given.delete(id);
      }
      this.#advance();
    }
    return events;
  }

  #advance(): void {
    const { value } = this.#missingIds.next();
    this.#nextMissing = value as string | undefined;
  }
}

function isSame({ metadata: a }: Resource, { metadata: b }: Resource): boolean {
  return a.version === b.version && a.created.equals(b.created);
}
