import { type CosiError, isCosiError } from '@cosi-ts/resource';
import type { Bookmark, Event } from '@cosi-ts/state';
import { check, fail } from '../assertions.js';
import type { EventReader } from '../event-reader.js';
import type { StateFeatures } from '../features.js';
import { show } from '../show.js';
import type { StateTest } from '../state-test.js';
import type { Open } from './commands.js';
import { begun, countTogether, type ExpectedWatch, eventsAfter, nextOf, pending } from './expected-watch.js';
import type { Explanation, Explanations } from './explanations.js';
import { plainEvent } from './outcome.js';
import { type KindName, modelKinds } from './plain.js';
import { modelQueries } from './queries.js';
import type { World } from './world.js';

interface OpenWatch {
  readonly number: number;
  readonly form: Open['form'];
  readonly kind: KindName;
  readonly reader: EventReader;
}

interface SeenBookmark {
  readonly number: number;
  readonly kind: KindName;
  readonly bytes: Bookmark;
}

/** Opens watches of the state and reads them, and has what they give explained. */
export class ModelWatches {
  readonly #t: StateTest;
  readonly #features: StateFeatures;
  readonly #explanations: Explanations;
  readonly #bookmarks: SeenBookmark[] = [];
  #open: readonly OpenWatch[] = [];
  #opened = 0;

  constructor(t: StateTest, features: StateFeatures, explanations: Explanations) {
    this.#t = t;
    this.#features = features;
    this.#explanations = explanations;
  }

  async open(open: Open): Promise<void> {
    const bookmark = this.#bookmarkFor(open);
    const opened = await this.#watch(open, bookmark).catch((error: unknown) =>
      isCosiError(error) ? error : fail(`${open.form} rejected with ${show(error)}`, error),
    );
    const number = this.#opened++;
    this.#explainOpening(open, number, bookmark, isCosiError(opened) ? opened.code : undefined);
    if (isCosiError(opened)) return;
    const { form, kind } = open;
    this.#open = [...this.#open, { number, form, kind, reader: opened }];
  }

  /** A bookmark that was seen in the same namespace, if one is asked for and the one that comes up is. */
  #bookmarkFor({ from, kind }: Open): SeenBookmark | undefined {
    const bookmark = from === undefined ? undefined : this.#bookmarks[from % Math.max(1, this.#bookmarks.length)];
    return bookmark !== undefined && countTogether(bookmark.kind, kind, this.#features) ? bookmark : undefined;
  }

  #watch(open: Open, bookmark: SeenBookmark | undefined): Promise<EventReader> {
    const { form, id, tailEvents, bootstrapContents, bootstrapBookmark } = open;
    const kind = modelKinds[open.kind];
    const options = { tailEvents, startFromBookmark: bookmark?.bytes, lazy: true };
    if (form === 'watch') return this.#t.watch({ ...kind, id }, options);
    const query = modelQueries[open.query].options;
    return this.#t[form]({ ...options, ...query, bootstrapContents, bootstrapBookmark, kind });
  }

  #explainOpening(
    open: Open,
    number: number,
    bookmark: SeenBookmark | undefined,
    code: CosiError['code'] | undefined,
  ): void {
    const { historyEvents, overrunEvents = Number.POSITIVE_INFINITY } = this.#features;
    const from = ({ bookmarks }: Explanation) => (bookmark === undefined ? undefined : bookmarks.get(bookmark.number));
    this.#explanations.explain(
      (explanation) => {
        const position = from(explanation);
        const ways = begun(explanation.world, open, position, this.#features);
        if ('code' in ways) return ways.code === code ? [explanation] : [];
        const gone = position === undefined ? 0 : eventsAfter(explanation.world, open.kind, position);
        if (code === 'invalid-bookmark') {
          return gone > historyEvents || this.#isBeforeAll(explanation.world, open, position) ? [explanation] : [];
        }
        if (code !== undefined || gone > overrunEvents) return [];
        return ways.map((way) => ({ ...explanation, watches: new Map(explanation.watches).set(number, way) }));
      },
      () => `${show(open)} ${code === undefined ? 'was opened' : `was refused with ${code}`}`,
      () => this.#explanations.all.map((each) => show(begun(each.world, open, from(each), this.#features))),
    );
  }

  /** Whether the position, which counts for the kind, is none for a single resource. */
  #isBeforeAll(world: World, { form, kind }: Open, position: number | undefined): boolean {
    if (this.#features.bookmarksAcrossKinds || form !== 'watch' || position === undefined) return false;
    return eventsAfter(world, kind, 0) === eventsAfter(world, kind, position);
  }

  async close(watch: number): Promise<void> {
    const closed = this.#at(watch);
    await closed?.reader.close();
    this.#open = this.#open.filter((other) => other !== closed);
  }

  /** Reads so many items, or as many as have to come. */
  async read(watch: number, items: number): Promise<void> {
    const open = this.#at(watch);
    if (open !== undefined) await this.#read(open, items);
  }

  async readAll(): Promise<void> {
    for (const watch of this.#open) await this.#read(watch, Number.POSITIVE_INFINITY);
  }

  #at(watch: number): OpenWatch | undefined {
    return this.#open[watch % Math.max(1, this.#open.length)];
  }

  async #read(watch: OpenWatch, items: number): Promise<void> {
    for (let i = 0; i < items && this.#due(watch) > 0; i++) {
      const batch = await watch.reader.nextBatch();
      check(batch.length > 0, 'no array of events may be empty');
      for (const event of batch) this.#seen(watch, event);
      this.#checkArray(watch, batch);
    }
  }

  /** How many events must come whatever the explanation. */
  #due(watch: OpenWatch): number {
    const due = ({ world, watches }: Explanation) =>
      pending(world, watches.get(watch.number) as ExpectedWatch, this.#features);
    return Math.min(...this.#explanations.all.map(due));
  }

  #checkArray(watch: OpenWatch, batch: readonly Event[]): void {
    const types = batch.map(({ type }) => type);
    check(!types.includes('noop') || types.length === 1, `a noop must come alone, it comes with ${types.join(', ')}`);
    if (watch.form !== 'watchKindAggregated') return;
    const bootstraps = this.#explanations.all.map(({ watches }) => watches.get(watch.number)?.first ?? []);
    const partial = bootstraps.every((first) => first.some(({ event }) => event.type === 'bootstrapped'));
    check(!partial, `the bootstrap must come in one array, the first is ${types.join(', ')}`);
  }

  #seen(watch: OpenWatch, event: Event): void {
    const seen = plainEvent(event);
    const bookmark = this.#bookmarks.length;
    if (event.type !== 'errored' && event.bookmark !== undefined) {
      this.#bookmarks.push({ number: bookmark, kind: watch.kind, bytes: event.bookmark });
    }
    const next = ({ world, watches }: Explanation) =>
      nextOf(world, watches.get(watch.number) as ExpectedWatch, this.#features);
    this.#explanations.explain(
      (explanation) =>
        next(explanation).flatMap((expected) => {
          if (show(expected.event) !== show(seen)) return [];
          const watches = new Map(explanation.watches).set(watch.number, expected.watch);
          const bookmarks = new Map(explanation.bookmarks);
          if (expected.position !== undefined) bookmarks.set(bookmark, expected.position);
          return [{ ...explanation, watches, bookmarks }];
        }),
      () => `watch ${watch.number} (${watch.form}) gave ${show(seen)}`,
      () => [...this.#explanations.all.flatMap((each) => next(each).map((other) => show(other.event))), 'nothing else'],
    );
  }
}
