import { eventText, type Intent, type Line } from './journal.js';

/** What is known of a resource. */
export interface Known {
  readonly version: bigint;
  readonly text: string;
}

/** An event as it was found in the log. */
export interface FoundEvent {
  readonly position: number;
  readonly type: string;
  readonly id: string;
  readonly version: bigint;
  /** That of the spec. */
  readonly text: string;
}

/** What was found in a store. Resources by `namespace/id`, events by namespace. */
export interface Found {
  readonly resources: ReadonlyMap<string, Known>;
  readonly events: ReadonlyMap<string, readonly FoundEvent[]>;
  readonly position: number;
  readonly floor: number;
}

export interface Problem {
  readonly is: 'lost' | 'phantom' | 'disorder' | 'wrong resume';
  readonly what: string;
}

/** Where the watcher of a namespace is. */
export interface Place {
  readonly bookmark: string;
  readonly position: number;
}

/** What a store must hold, by what its writers were told. */
export class Model {
  readonly #resources = new Map<string, Known>();
  readonly #places = new Map<string, Place>();
  #position = 0;
  acknowledged = 0;

  /** Where the watcher of each namespace goes on. */
  get places(): ReadonlyMap<string, Place> {
    return this.#places;
  }

  /**
   * Compares what was found with a journal, and goes on from there.
   *
   * @param positionOf reads a bookmark
   */
  check(lines: readonly Line[], found: Found, positionOf: (bookmark: string) => number): Problem[] {
    const problems = [...this.#checkWrites(lines, found), ...this.#checkSeen(lines, found, positionOf)];
    this.#resources.clear();
    for (const [key, known] of found.resources) this.#resources.set(key, known);
    this.#position = found.position;
    return problems;
  }

  #checkWrites(lines: readonly Line[], found: Found): Problem[] {
    const problems: Problem[] = [];
    const expected = new Map(this.#resources);
    const open = new Map<number, Intent>();
    const must: string[] = [];
    for (const line of lines) {
      if (line.is === 'intent') open.set(line.n, line);
      if (line.is !== 'acknowledged') continue;
      const intent = open.get(line.n) as Intent;
      open.delete(line.n);
      this.acknowledged++;
      must.push(eventOf(intent, expected));
      apply(intent, expected);
    }
    const unanswered = new Map([...open.values()].map((intent) => [keyOf(intent), intent]));
    for (const key of new Set([...expected.keys(), ...found.resources.keys(), ...unanswered.keys()])) {
      const [known, present, intent] = [expected.get(key), found.resources.get(key), unanswered.get(key)];
      if (same(known, present)) continue;
      if (intent !== undefined) {
        const after = new Map(expected);
        apply(intent, after);
        if (same(after.get(key), present)) {
          must.push(eventOf(intent, expected));
          continue;
        }
      }
      const isOlder = known !== undefined && (present === undefined || present.version < known.version);
      problems.push({ is: isOlder ? 'lost' : 'phantom', what: `${key}: ${show(present)} instead of ${show(known)}` });
    }
    return [...problems, ...this.#checkEvents(must, found)];
  }

  /** Of every write that is there exactly one event must be, and no other. */
  #checkEvents(must: readonly string[], found: Found): Problem[] {
    const missing = new Map<string, number>();
    for (const text of must) missing.set(text, (missing.get(text) ?? 0) + 1);
    const problems: Problem[] = [];
    for (const [namespace, events] of found.events) {
      for (const event of events) {
        if (event.position <= this.#position) continue;
        const text = `${namespace} ${textOf(event)}`;
        const count = missing.get(text) ?? 0;
        if (count === 0) problems.push({ is: 'phantom', what: `event ${event.position}, ${text}, of no write` });
        else missing.set(text, count - 1);
      }
    }
    // What has been forgotten cannot be missed.
    if (found.floor <= this.#position) {
      for (const [text, count] of missing) if (count > 0) problems.push({ is: 'lost', what: `the event ${text}` });
    }
    return [...problems, ...disorder(found)];
  }

  #checkSeen(lines: readonly Line[], found: Found, positionOf: (bookmark: string) => number): Problem[] {
    const problems: Problem[] = [];
    for (const line of lines) {
      if (line.is !== 'seen') continue;
      const { namespace, bookmark, event, anew } = line;
      const position = positionOf(bookmark);
      const before = this.#places.get(namespace)?.position;
      if (event !== undefined && before !== undefined && anew !== true) {
        const next = found.events.get(namespace)?.find((each) => each.position > before);
        const isKept = before >= found.floor;
        if (isKept && (next?.position !== position || textOf(next) !== event)) {
          problems.push({
            is: 'wrong resume',
            what: `the watcher of ${namespace} at ${before} was given ${event} at ${position}, next is event ${next?.position}`,
          });
        }
      }
      this.#places.set(namespace, { bookmark, position });
    }
    return problems;
  }
}

/** Whether the events of each resource follow each other, and end with what is stored. */
function disorder(found: Found): Problem[] {
  const problems: Problem[] = [];
  const latest = new Map<string, FoundEvent>();
  const positions = new Set<number>();
  for (const [namespace, events] of found.events) {
    for (const event of events) {
      const key = `${namespace}/${event.id}`;
      const before = latest.get(key);
      const alive = before !== undefined && before.type !== 'destroyed';
      const follows =
        before === undefined ||
        (event.type === 'created' && !alive) ||
        (event.type === 'updated' && alive && event.version === before.version + 1n) ||
        (event.type === 'destroyed' && alive && event.version === before.version);
      if (!follows || positions.has(event.position)) {
        problems.push({ is: 'disorder', what: `event ${event.position} of ${key}: ${textOf(event)}` });
      }
      positions.add(event.position);
      latest.set(key, event);
    }
  }
  for (const [key, { type, version, text, position }] of latest) {
    const known = type === 'destroyed' ? undefined : { version, text };
    if (!same(known, found.resources.get(key))) {
      problems.push({ is: 'disorder', what: `${key} is not what its last event, ${position}, says` });
    }
  }
  if (positions.size !== found.position - found.floor) {
    problems.push({ is: 'disorder', what: `${positions.size} events from ${found.floor} to ${found.position}` });
  }
  return problems;
}

function textOf({ type, id, version, text }: FoundEvent): string {
  return eventText(type, id, version, text);
}

function keyOf({ namespace, id }: { readonly namespace: string; readonly id: string }): string {
  return `${namespace}/${id}`;
}

/** What the event of a write looks like. */
function eventOf(intent: Intent, before: ReadonlyMap<string, Known>): string {
  const known = before.get(keyOf(intent));
  const event =
    intent.op === 'create'
      ? eventText('created', intent.id, 1n, intent.text)
      : intent.op === 'update'
        ? eventText('updated', intent.id, (known?.version ?? 0n) + 1n, intent.text)
        : eventText('destroyed', intent.id, known?.version ?? 0n, known?.text ?? '');
  return `${intent.namespace} ${event}`;
}

function apply(intent: Intent, resources: Map<string, Known>): void {
  const key = keyOf(intent);
  if (intent.op === 'destroy') resources.delete(key);
  else resources.set(key, { version: (resources.get(key)?.version ?? 0n) + 1n, text: intent.text });
}

function same(a: Known | undefined, b: Known | undefined): boolean {
  return a?.version === b?.version && a?.text === b?.text;
}

function show(known: Known | undefined): string {
  return known === undefined ? 'nothing' : `version ${known.version} with ${JSON.stringify(known.text)}`;
}
