import type { JsonValue } from '@cosi-ts/resource';
import type { HttpAction, SecretReference } from '../../definition/definition.js';
import type { Scope } from '../../expression/expression.js';
import { ActionReader } from '../action-reader.js';
import { templateText, templateTexts } from '../template-text.js';

/** What an `http` step does, as it is kept in the StepRun. It holds no text of a secret. */
export type HttpActionJson = {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly secretHeaders: { readonly [name: string]: { readonly secret: string; readonly key: string } };
  readonly body?: JsonValue;
  readonly expect: readonly { readonly from: number; readonly to: number }[];
};

/** Throws an `ExpressionError`, or `invalid-argument` for what can never be executed. */
export function httpAction(action: HttpAction, scope: Scope): HttpActionJson {
  const json: HttpActionJson = {
    method: action.method,
    url: templateText(action.url, scope),
    headers: templateTexts(action.headers, scope),
    secretHeaders: Object.fromEntries(
      [...action.secretHeaders].map(([name, { secret, key }]) => [name, { secret, key }]),
    ),
    ...(action.body === undefined ? {} : { body: action.body.evaluate(scope) }),
    expect: action.expect.map(({ from, to }) => ({ from, to })),
  };
  readHttpAction(json);
  return json;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly secretHeaders: Readonly<Record<string, SecretReference>>;
  readonly body: string | undefined;
  readonly expect: readonly { readonly from: number; readonly to: number }[];
}

const success = [{ from: 200, to: 299 }];

/** Throws `invalid-argument`. */
export function readHttpAction(action: JsonValue): HttpRequest {
  const reader = new ActionReader('http', action);
  const method = reader.text('method').toUpperCase();
  if (!/^[A-Z]+$/.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method)) {
    throw reader.wrong(['method'], `cannot be ${JSON.stringify(method)}`);
  }
  const url = readUrl(reader);
  const headers = readHeaders(reader);
  const secretHeaders = reader.secretMap('secretHeaders');
  for (const name of Object.keys(secretHeaders)) checkHeader(reader, 'secretHeaders', name, 'text');
  const value = reader.optionalValue('body');
  const hasBody = value !== undefined && value !== null;
  if (hasBody && (method === 'GET' || method === 'HEAD')) throw reader.wrong(['body'], `cannot go with ${method}`);
  if (hasBody && !headers.has('content-type')) {
    headers.set('content-type', typeof value === 'string' ? 'text/plain; charset=utf-8' : 'application/json');
  }
  const expect = reader.list('expect', (range, path) => {
    const { from, to } = range as { from?: unknown; to?: unknown };
    if (!isStatus(from) || !isStatus(to) || from > to) throw reader.wrong(path, 'must be a range of statuses');
    return { from, to };
  });
  return {
    method,
    url,
    headers,
    secretHeaders,
    body: hasBody ? (typeof value === 'string' ? value : JSON.stringify(value)) : undefined,
    expect: expect.length === 0 ? success : expect,
  };
}

function readUrl(reader: ActionReader): URL {
  const text = reader.text('url');
  if (!URL.canParse(text)) throw reader.wrong(['url'], `is no URL: ${JSON.stringify(text)}`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw reader.wrong(['url'], `must begin with http:// or https://, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw reader.wrong(['url'], 'holds a user or a password: use secretHeaders for them');
  }
  return url;
}

function readHeaders(reader: ActionReader): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(reader.textMap('headers'))) {
    checkHeader(reader, 'headers', name, value);
    headers.set(name, value);
  }
  return headers;
}

function checkHeader(reader: ActionReader, field: string, name: string, value: string): void {
  try {
    new Headers([[name, value]]);
  } catch {
    // The platform is the judge of names and values; its message says less than this one.
    throw reader.wrong([field, name], 'cannot be a header');
  }
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599;
}
