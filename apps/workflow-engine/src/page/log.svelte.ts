import type { LineView } from '../http/log-routes.js';
import { stepPath } from './api.js';

export interface LogPlace {
  readonly run: string;
  readonly step: string;
  readonly index: number;
  readonly attempt: number;
}

/** So many lines are kept, the newest ones. */
export const keptLines = 10_000;

/** Lines come in bursts: they are drawn so often at most. */
const redrawMs = 100;
/** After the server has refused the stream, which browsers do not try again by themselves. */
const reconnectMs = 2000;

/** The log of an attempt, followed until the attempt ends. */
export class Log {
  lines = $state.raw<readonly LineView[]>([]);
  /** Whether the attempt is over and all was read. */
  isOver = $state(false);
  isLost = $state(false);

  readonly #path: string;
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #redraw: ReturnType<typeof setTimeout> | undefined;
  #offset = '';
  #new: LineView[] = [];

  constructor({ run, step, index, attempt }: LogPlace) {
    const query = `follow=true&index=${index < 0 ? '-' : index}&attempt=${attempt}`;
    this.#path = `${stepPath(run, step)}/log?${query}`;
  }

  start(): void {
    if (this.isOver) return;
    // Where it was left, or the end of what there is.
    const source = new EventSource(
      `${this.#path}&${this.#offset === '' ? `tail=${keptLines}` : `offset=${this.#offset}`}`,
    );
    this.#source = source;
    source.onopen = () => {
      this.isLost = false;
    };
    source.addEventListener('lines', ({ data, lastEventId }: MessageEvent<string>) => {
      if (lastEventId !== '') this.#offset = lastEventId;
      this.#new.push(...(JSON.parse(data) as LineView[]));
      this.#schedule();
    });
    source.addEventListener('end', () => {
      source.close();
      this.isOver = true;
    });
    source.onerror = () => {
      this.isLost = true;
      if (source.readyState === EventSource.CLOSED) this.#timer = setTimeout(() => this.start(), reconnectMs);
    };
  }

  stop(): void {
    this.#source?.close();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#redraw ??= setTimeout(() => {
      this.#redraw = undefined;
      this.lines = [...this.lines, ...this.#new].slice(-keptLines);
      this.#new = [];
    }, redrawMs);
  }
}
