export type Connection = 'connecting' | 'live' | 'lost';

/** What to do with the data of each event. */
export type EventHandlers = Readonly<Record<string, (data: never) => void>>;

/** After the server has refused the stream, which browsers do not try again by themselves. */
const reconnectMs = 2000;

/** Follows an event stream of the server. One that breaks is taken up where it was left. */
export class EventFeed {
  /** Live once an event `ready` has come. */
  connection = $state<Connection>('connecting');

  readonly #path: string;
  readonly #handlers: EventHandlers;
  readonly #onEvent: () => void;
  #reconnect: ReturnType<typeof setTimeout> | undefined;
  #source: EventSource | undefined;
  #lastEventId = '';

  /** @param onEvent runs after each event that has a handler */
  constructor(path: string, handlers: EventHandlers, onEvent: () => void = () => undefined) {
    this.#path = path;
    this.#handlers = handlers;
    this.#onEvent = onEvent;
  }

  start(): void {
    const joint = this.#path.includes('?') ? '&' : '?';
    const query = this.#lastEventId === '' ? '' : `${joint}lastEventId=${encodeURIComponent(this.#lastEventId)}`;
    const source = new EventSource(`${this.#path}${query}`);
    this.#source = source;
    for (const [event, take] of Object.entries(this.#handlers)) {
      source.addEventListener(event, ({ data, lastEventId }: MessageEvent<string>) => {
        if (lastEventId !== '') this.#lastEventId = lastEventId;
        (take as (data: unknown) => void)(JSON.parse(data));
        this.#onEvent();
      });
    }
    source.addEventListener('ready', () => {
      this.connection = 'live';
    });
    source.onerror = () => {
      this.connection = 'lost';
      if (source.readyState === EventSource.CLOSED) {
        this.#reconnect = setTimeout(() => this.start(), reconnectMs);
      }
    };
  }

  stop(): void {
    this.#source?.close();
    clearTimeout(this.#reconnect);
  }
}
