import type { Event } from '@cosi-ts/state';
import type { EventStream, OpenStream } from '../client/resume/event-stream.js';
import type { Start } from '../client/resume/start.js';

/** A stream of events that does what it is told. */
export class ScriptedStream implements EventStream {
  closed = false;
  readonly #messages: (readonly Event[] | Error)[] = [];
  #wake: () => void = () => {};

  push(...events: readonly Event[]): this {
    return this.#add(events);
  }

  break(error: Error): this {
    return this.#add(error);
  }

  #add(message: readonly Event[] | Error): this {
    this.#messages.push(message);
    this.#wake();
    return this;
  }

  async next(): Promise<readonly Event[]> {
    while (this.#messages.length === 0) {
      if (this.closed) throw new Error('the stream was closed');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const message = this.#messages.shift() as readonly Event[] | Error;
    if (message instanceof Error) throw message;
    return message;
  }

  close(): void {
    this.closed = true;
    this.#wake();
  }
}

export interface Attempt extends Start {
  readonly aggregated: boolean;
  readonly atMs: number;
}

/** Answers attempts to establish a stream, in turn. An attempt that nothing was scripted for stays open. */
export class ScriptedStreams {
  readonly attempts: Attempt[] = [];
  readonly #answers: (ScriptedStream | Error)[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  accept(): ScriptedStream {
    const stream = new ScriptedStream();
    this.#answers.push(stream);
    return stream;
  }

  refuse(error: Error): void {
    this.#answers.push(error);
  }

  readonly open: OpenStream = async (start, aggregated, signal) => {
    this.attempts.push({ ...start, aggregated, atMs: this.#nowMs() });
    const answer = this.#answers.shift();
    if (answer instanceof Error) throw answer;
    if (answer !== undefined) return answer;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
}
