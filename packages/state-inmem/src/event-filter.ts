import { labelMatcher, matchesId, type Resource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import type { Change } from './history-entry.js';
import type { Queries } from './queries.js';
import type { Timeline } from './timeline.js';
import { changeEvent, seenAs } from './watch-events.js';

/** What a watch with queries sees of the changes. */
export class EventFilter {
  readonly #labels: ReturnType<typeof labelMatcher>;
  readonly #id: Queries['id'];

  constructor({ labels, id }: Queries) {
    this.#labels = labelMatcher(labels);
    this.#id = id;
  }

  matches(resource: Resource): boolean {
    return this.#labels(resource.metadata.labels) && matchesId(this.#id, resource.metadata.id);
  }

  /**
   * The event by what matches now and before: an update that begins to match is a creation, one that stops matching a
   * destruction, both with the new state of the resource. Undefined when the watch does not see it.
   */
  event(change: Change, timeline: Timeline): Event | undefined {
    const { old, resource } = change;
    const now = this.matches(resource);
    const before = old === undefined ? now : this.matches(old);
    if (!now && !before) return undefined;
    if (now && before) return changeEvent(change, timeline);
    return seenAs(now ? 'created' : 'destroyed', change, timeline);
  }
}
