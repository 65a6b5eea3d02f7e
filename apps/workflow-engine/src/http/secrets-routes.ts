import { type ApiRequest, Problem, type Route, readJson, route } from '@cosi-ts/app-kit';
import { isNotFound, type JsonValue, type TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { SecretSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { Secret } from '../resources/index.js';
import { BodyFields, wrong } from './body-fields.js';

const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** `/secrets`: texts go in and never come out; what is told of a secret is its keys. */
export function secretsRoutes(state: State): readonly Route[] {
  const list = async ({ signal }: ApiRequest) => {
    const secrets = await state.list(Secret.kind, { signal });
    return { status: 200, body: { secrets: secrets.map(secretView) } };
  };

  const get = async ({ params, signal }: ApiRequest) => ({
    status: 200,
    body: secretView(await state.get(Secret.at(params.name as string), { signal })),
  });

  const change = (isWhole: boolean) => async (request: ApiRequest) => {
    const { raw, params, signal } = request;
    const name = params.name as string;
    if (!namePattern.test(name)) {
      throw wrong(
        'name',
        'must be up to 63 letters, digits, dots, dashes and underscores, with a letter or digit at both ends',
      );
    }
    const values = valuesIn(await readJson(raw));
    const stored = await state.modify(
      Secret.at(name),
      ({ spec }) => {
        if (isWhole) for (const key of Object.keys(spec.values)) delete spec.values[key];
        for (const [key, value] of values) {
          if (value === null) delete spec.values[key];
          else spec.values[key] = value;
        }
      },
      { signal },
    );
    return { status: 200, body: secretView(stored) };
  };

  const remove = async ({ params, signal }: ApiRequest) => {
    const pointer = Secret.at(params.name as string);
    const secret = await state.get(pointer, { signal });
    await state.teardown(pointer, { signal });
    try {
      await state.destroy(pointer, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return { status: 200, body: secretView(secret) };
  };

  return [
    route('GET', '/secrets', list),
    route('GET', '/secrets/:name', get),
    route('PUT', '/secrets/:name', change(true)),
    route('PATCH', '/secrets/:name', change(false)),
    route('DELETE', '/secrets/:name', remove),
  ];
}

/** What is told of a secret. */
export interface SecretView {
  readonly name: string;
  readonly keys: readonly string[];
  readonly created: string;
  readonly updated: string;
}

function secretView({ metadata, spec }: TypedResource<SecretSpec>): SecretView {
  return {
    name: metadata.id,
    keys: Object.keys(spec.values).sort(),
    created: metadata.created.toString(),
    updated: metadata.updated.toString(),
  };
}

/** The texts by their keys; null takes one away. What was sent is never repeated in an answer. */
function valuesIn(body: Readonly<Record<string, JsonValue>>): readonly (readonly [string, string | null])[] {
  const values = new BodyFields(body, ['values']).object('values');
  if (values === undefined) {
    throw new Problem(400, 'invalid-argument', 'values: is missing', {
      field: 'values',
      hint: 'send texts by their keys, for instance {"values": {"token": "…"}}',
    });
  }
  return Object.entries(values).map(([key, value]) => {
    // The record of a message cannot hold that one.
    if (key === '' || key === '__proto__') throw wrong('values', 'a key must not be empty, nor __proto__');
    if (value !== null && typeof value !== 'string')
      throw wrong(`values.${key}`, 'must be a text, or null to take it away');
    return [key, value] as const;
  });
}
