export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of many shapes
  readonly data: any;
}

/** Reads server-sent events, one at a time. */
export class EventReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #buffer = '';
  #reading: Promise<ReadableStreamReadResult<string>> | undefined;

  private constructor(reader: ReadableStreamDefaultReader<string>) {
    this.#reader = reader;
  }

  static async open(url: string, lastEventId?: string): Promise<EventReader> {
    const response = await fetch(url, lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } });
    if (response.status !== 200 || response.body === null) throw new Error(`${url} answered ${response.status}`);
    return new EventReader(response.body.pipeThrough(new TextDecoderStream()).getReader());
  }

  /** Undefined at the end of the stream, and when the signal aborts. */
  async next(signal: AbortSignal = AbortSignal.timeout(15_000)): Promise<ServerEvent | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf('\n\n');
      if (end >= 0) {
        const event = parse(this.#buffer.slice(0, end));
        this.#buffer = this.#buffer.slice(end + 2);
        if (event !== undefined) return event;
        continue;
      }
      this.#reading ??= this.#reader.read();
      const result = await Promise.race([this.#reading, aborted(signal)]);
      if (result === undefined) return undefined;
      this.#reading = undefined;
      if (result.done) return undefined;
      this.#buffer += result.value;
    }
  }

  /** All events up to and with the first that matches. */
  async upTo(matches: (event: ServerEvent) => boolean): Promise<readonly ServerEvent[]> {
    const events: ServerEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the events ended after ${JSON.stringify(events.slice(-5))}`);
      events.push(event);
      if (matches(event)) return events;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }
}

function parse(text: string): ServerEvent | undefined {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const event = fields.get('event');
  if (event === undefined) return undefined;
  return { id: fields.get('id'), event, data: JSON.parse(fields.get('data') ?? 'null') };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
