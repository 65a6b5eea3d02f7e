import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Seeded } from '@cosi-ts/harness';
import { wire } from '@cosi-ts/proto';
import type { RpcName } from './grpc.js';
import { randomBytes } from './mutate.js';
import { hostilePattern, ids, namespaces, numericText, oddText, textLike, types } from './texts.js';

type Init<S extends DescMessage> = MessageInitShape<S>;

/** Request messages of the service, by call. */
export const requestSchemas = {
  Get: wire.GetRequestSchema,
  List: wire.ListRequestSchema,
  Create: wire.CreateRequestSchema,
  Update: wire.UpdateRequestSchema,
  Destroy: wire.DestroyRequestSchema,
  Watch: wire.WatchRequestSchema,
  Teardown: wire.TeardownRequestSchema,
  TeardownAndDestroy: wire.TeardownAndDestroyRequestSchema,
} as const satisfies Record<RpcName, DescMessage>;

/** A request as a client could send it that means harm: well-formed, with fields that are not. */
export function hostileRequest(rpc: RpcName, random: Seeded) {
  return create<DescMessage>(requestSchemas[rpc], inits[rpc](random) as never);
}

export function hostileBytes(rpc: RpcName, random: Seeded): Uint8Array {
  return toBinary<DescMessage>(requestSchemas[rpc], hostileRequest(rpc, random));
}

/** The field, or nothing. */
function maybe<N extends string, T>(random: Seeded, name: N, value: () => T, chance = 0.7): { [P in N]?: T } {
  return random.float() < chance ? ({ [name]: value() } as { [P in N]?: T }) : {};
}

/** A few, and now and then very many, which are fewer in lists of lists: together they are to be a message still. */
function several<T>(random: Seeded, value: () => T, most = 4, veryMany = 2000): T[] {
  if (random.float() < 0.02) return new Array<T>(veryMany).fill(value());
  return Array.from({ length: random.below(most + 1) }, value);
}

const kind = (random: Seeded) => ({ namespace: textLike(random, namespaces), type: textLike(random, types) });
const pointer = (random: Seeded) => ({ ...kind(random), id: textLike(random, ids) });
const owner = (random: Seeded) => maybe(random, 'owner', () => textLike(random, ['', '', 'someone']));
const ownerOptions = (random: Seeded) => maybe(random, 'options', () => owner(random));

function timestamp(random: Seeded) {
  return {
    seconds: random.pick([0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 253402300800n, -62135596801n, 1_700_000_000n]),
    nanos: random.pick([0, 1, -1, 999_999_999, 1_000_000_000, 2 ** 31 - 1, -(2 ** 31)]),
  };
}

function metadata(random: Seeded): Init<typeof wire.MetadataSchema> {
  const map = () =>
    Object.fromEntries(
      several(random, () => [textLike(random, ['tier', 'n', 'memory']), textLike(random, ['web', '7', '8 GiB'])], 3),
    );
  return {
    ...pointer(random),
    version: textLike(random, ['undefined', '1', '2', '3', '', '-1', '+7', '007', '1e3', '18446744073709551616']),
    phase: textLike(random, ['running', 'running', 'tearingDown', '', 'Running']),
    owner: textLike(random, ['', '', '', 'someone']),
    ...(random.float() < 0.5 && { created: timestamp(random), updated: timestamp(random) }),
    finalizers: several(random, () => textLike(random, ['f', 'g']), 2),
    labels: map(),
    annotations: map(),
  };
}

/** Aliases of aliases: harmless as a text, and nobody may read it as more. */
const bomb = `${Array.from({ length: 20 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : 9)}x]`).join('\n')}\n`;

function resource(random: Seeded): Init<typeof wire.ResourceSchema> {
  return {
    ...maybe(random, 'metadata', () => metadata(random), 0.95),
    ...maybe(
      random,
      'spec',
      () => ({
        protoSpec: randomBytes(random, random.pick([0, 0, 1, 10, 1000])),
        yamlSpec: random.pick(['', '{}\n', 'text: x\n', '[', 'a: [', '- '.repeat(5000), bomb, oddText(random)]),
      }),
      0.95,
    ),
  };
}

function labelQuery(random: Seeded): Init<typeof wire.LabelQuerySchema> {
  return {
    terms: several(
      random,
      () => ({
        key: textLike(random, ['tier', 'n', 'memory']),
        op: random.pick([0, 1, 2, 3, 4, 5, 6, 7, 8, 99, -1, 2 ** 31 - 1]) as never,
        value: several(
          random,
          () => (random.float() < 0.5 ? numericText(random, 1000) : textLike(random, ['web'])),
          2,
          20,
        ),
        invert: random.float() < 0.5,
      }),
      4,
      100,
    ),
  };
}

const queries = (random: Seeded) => ({
  labelQuery: random.float() < 0.5 ? several(random, () => labelQuery(random), 3) : [],
  ...maybe(random, 'idQuery', () => ({ regexp: random.float() < 0.5 ? hostilePattern(random) : '' }), 0.5),
});

function watchOptions(random: Seeded): Init<typeof wire.WatchOptionsSchema> {
  return {
    ...queries(random),
    bootstrapContents: random.float() < 0.3,
    bootstrapBookmark: random.float() < 0.3,
    aggregated: random.float() < 0.5,
    tailEvents: random.pick([0, 0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]),
    ...maybe(random, 'startFromBookmark', () => randomBytes(random, random.pick([0, 1, 8, 16, 17, 1000])), 0.3),
  };
}

const inits: { readonly [R in RpcName]: (random: Seeded) => Init<(typeof requestSchemas)[R]> } = {
  Get: (random) => ({ ...pointer(random), options: {} }),
  List: (random) => ({ ...kind(random), ...maybe(random, 'options', () => queries(random)) }),
  Create: (random) => ({ ...maybe(random, 'resource', () => resource(random), 0.95), ...ownerOptions(random) }),
  Update: (random) => ({
    ...maybe(random, 'newResource', () => resource(random), 0.95),
    ...maybe(random, 'options', () => ({
      ...owner(random),
      ...maybe(random, 'expectedPhase', () => textLike(random, ['running', 'tearingDown'])),
    })),
  }),
  Destroy: (random) => ({ ...pointer(random), ...ownerOptions(random) }),
  Watch: (random) => ({
    ...kind(random),
    ...maybe(random, 'id', () => textLike(random, ids), 0.4),
    ...maybe(random, 'options', () => watchOptions(random)),
    apiVersion: random.pick([0, 1, 1, 2, -1, 2 ** 31 - 1]),
  }),
  Teardown: (random) => ({ ...pointer(random), ...ownerOptions(random) }),
  TeardownAndDestroy: (random) => ({ ...pointer(random), ...ownerOptions(random) }),
};
