import type { Event } from '@cosi-ts/state';
import type { Shape } from './shape.js';

/**
 * Brings the arrays that came in messages into the form that aggregated watches have: the bootstrap, however it was
 * split, in one array that ends with bootstrapped; a noop alone; no array empty.
 */
export class EventArrays implements Shape<readonly Event[]> {
  #bootstrap: Event[] | undefined;

  /** @param bootstrap whether the watch begins with one */
  constructor(bootstrap: boolean) {
    this.#bootstrap = bootstrap ? [] : undefined;
  }

  /** Nothing of the bootstrap has been given yet. */
  restart(): void {
    if (this.#bootstrap !== undefined) this.#bootstrap = [];
  }

  add(events: readonly Event[]): readonly (readonly Event[])[] {
    if (this.#bootstrap === undefined && events.length > 0 && events.every(isOrdinary)) return [events];
    const arrays: Event[][] = [];
    let open: Event[] = [];
    const close = () => {
      if (open.length > 0) arrays.push(open);
      open = [];
    };
    for (const event of events) {
      if (event.type === 'errored') {
        // Half a bootstrap is of no use to anybody.
        this.#bootstrap = undefined;
        open.push(event);
      } else if (this.#bootstrap !== undefined) {
        this.#bootstrap.push(event);
        if (event.type !== 'bootstrapped') continue;
        arrays.push(this.#bootstrap);
        this.#bootstrap = undefined;
      } else if (event.type === 'noop') {
        close();
        arrays.push([event]);
      } else {
        open.push(event);
      }
    }
    close();
    return arrays;
  }
}

function isOrdinary({ type }: Event): boolean {
  return type !== 'noop' && type !== 'errored';
}
