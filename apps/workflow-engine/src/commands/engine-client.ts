import { setTimeout as pause } from 'node:timers/promises';
import { EngineError, NoEngineError } from './engine-error.js';
import { type ServerEvent, serverEvents } from './server-events.js';

export interface EngineBody {
  readonly type: 'application/json' | 'application/yaml';
  readonly text: string;
}

/** So long an engine that went away is waited for by who follows it: a restart takes less. */
const patienceMs = 30_000;
const retryMs = 500;

/** The API of an engine, as commands use it. */
export class EngineClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url.replace(/\/+$/, '');
  }

  get<T>(path: string): Promise<T> {
    return this.#ask<T>('GET', path);
  }

  send<T>(method: string, path: string, body: unknown = {}): Promise<T> {
    return this.#ask<T>(method, path, { type: 'application/json', text: JSON.stringify(body) });
  }

  sendYaml<T>(method: string, path: string, text: string): Promise<T> {
    return this.#ask<T>(method, path, { type: 'application/yaml', text });
  }

  async text(path: string): Promise<string> {
    return (await this.#fetch('GET', path)).text();
  }

  /**
   * Events, on and on: when the engine goes away, it is waited for, and events go on where they were. Ends when the
   * engine ends them. Rejects with a {@link NoEngineError} when it does not come back, and with the signal's reason.
   *
   * @param onGap is told when the engine has gone, and when it is back
   */
  async *events(
    path: string,
    signal: AbortSignal,
    onGap: (isGone: boolean) => void = () => undefined,
  ): AsyncGenerator<ServerEvent, void, undefined> {
    let last: string | undefined;
    let goneSince: number | undefined;
    for (;;) {
      try {
        const headers = last === undefined ? {} : { 'last-event-id': last };
        const response = await this.#fetch('GET', path, undefined, { headers, signal });
        if (goneSince !== undefined) onGap(false);
        goneSince = undefined;
        if (response.body === null) return;
        for await (const event of serverEvents(response.body)) {
          last = event.id ?? last;
          yield event;
          if (event.event === 'end') return;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EngineError && error.status !== 503) throw error;
        if (goneSince === undefined && last === undefined) throw error;
      }
      signal.throwIfAborted();
      if (goneSince === undefined) onGap(true);
      goneSince ??= performance.now();
      if (performance.now() - goneSince > patienceMs) throw new NoEngineError(this.url);
      await pause(retryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async #ask<T>(method: string, path: string, body?: EngineBody): Promise<T> {
    return (await this.#fetch(method, path, body)).json() as Promise<T>;
  }

  async #fetch(
    method: string,
    path: string,
    body?: EngineBody,
    more: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
  ): Promise<Response> {
    const headers = { ...more.headers, ...(body === undefined ? {} : { 'content-type': body.type }) };
    let response: Response;
    try {
      response = await fetch(`${this.url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: body.text }),
        ...(more.signal === undefined ? {} : { signal: more.signal }),
      });
    } catch (error) {
      more.signal?.throwIfAborted();
      throw new NoEngineError(this.url, { cause: error });
    }
    if (response.ok) return response;
    const text = await response.text();
    throw new EngineError(response.status, problemIn(text, this.url));
  }
}

function problemIn(text: string, url: string) {
  try {
    return JSON.parse(text) as { detail?: string; hint?: string };
  } catch {
    return { detail: `what answers at ${url} is no workflow engine: ${text.slice(0, 200)}` };
  }
}

/** A part of a path. */
export function part(text: string): string {
  return encodeURIComponent(text);
}
