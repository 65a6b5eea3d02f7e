import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from './problem.js';

/** A request as routes see it. */
export interface ApiRequest {
  readonly raw: IncomingMessage;
  /** For routes that answer in their own way. */
  readonly response: ServerResponse;
  /** The parts of the path that the route names, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Aborts when the client goes away or the server closes. */
  readonly signal: AbortSignal;
}

export interface ApiReply {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Gives the reply, or nothing when it has answered itself. */
export type Handler = (request: ApiRequest) => Promise<ApiReply | undefined> | ApiReply | undefined;

export interface Route {
  readonly method: string;
  /** `/vms/:id` */
  readonly path: string;
  readonly handler: Handler;
}

export const route = (method: string, path: string, handler: Handler): Route => ({ method, path, handler });

interface Found {
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a request. `HEAD` is served by `GET`. */
export class Router {
  readonly #routes: readonly { readonly route: Route; readonly parts: readonly string[] }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((each) => ({ route: each, parts: each.path.split('/') }));
  }

  /** Undefined when no route has such a path. Throws a {@link Problem} when none has the method, or the path is bad. */
  find(method: string, path: string): Found | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const parts = path.split('/');
    const allowed: string[] = [];
    for (const { route: each, parts: pattern } of this.#routes) {
      const params = match(pattern, parts);
      if (params === undefined) continue;
      if (each.method === wanted) return { handler: each.handler, params };
      allowed.push(each.method);
    }
    if (allowed.length === 0) return undefined;
    throw new Problem(405, 'method-not-allowed', `${path} cannot be asked with ${method}`, {
      hint: `use ${allowed.join(' or ')}`,
      headers: { allow: allowed.join(', ') },
    });
  }
}

function match(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const part = parts[i] as string;
    if (!expected.startsWith(':')) {
      if (expected !== part) return undefined;
      continue;
    }
    if (part === '') return undefined;
    params[expected.slice(1)] = decoded(part);
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Problem(400, 'invalid-argument', `${JSON.stringify(part)} in the path is not valid percent-encoding`);
  }
}
