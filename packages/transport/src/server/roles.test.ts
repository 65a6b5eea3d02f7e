import { accessRule, Roles } from '@cosi-ts/access';
import { type CosiError, defineResource, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import { type Access, type CoreState, filter, type State, verbs, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { connectChannel } from '../client/connect-channel.js';
import { resolveConnectStateOptions } from '../client/options.js';
import { remoteState } from '../client/remote-state.js';
import { connectState } from '../index.js';
import { protocolEntries } from '../testdata/protocols.js';
import { bearerTokens } from './bearer-tokens.js';
import { serveState } from './serve-state.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
const Net = defineResource<{ size: number }>({ type: 'Nets.test', namespace: 'a' });

const roles = Roles.parse(`
roles:
  editor:
    - { verbs: ['*'], namespaces: [a], types: [Disks.test] }
  viewer:
    - { verbs: [readonly], namespaces: [a], types: ['*'] }
  web:
    - { verbs: ['*'], namespaces: ['*'], types: [Disks.test], ids: ['web-.*'] }
  halfway:
    - { verbs: [get, watch], namespaces: ['*'], types: ['*'] }
  hopeless:
    - { verbs: [update], namespaces: ['*'], types: ['*'] }
bindings:
  alice: [editor]
  bob: [viewer]
  carol: [web]
  dave: [viewer, web]
  eve: [halfway]
  frank: [hopeless]
  grace: []
`);

const identities = ['alice', 'bob', 'carol', 'dave', 'eve', 'frank', 'grace'];
const kinds: readonly Kind[] = ['a', 'b'].flatMap((namespace) =>
  [Disk.type, Net.type].map((type) => ({ namespace, type })),
);

type VerbNames = readonly (keyof typeof verbs)[];

interface Operation {
  readonly needs: VerbNames;
  /** Without an id: of the kind. */
  readonly onKind?: true;
  run(state: State, target: Pointer): Promise<unknown>;
  /** Whether it is visible that it has been done. */
  done?(resource: Resource | undefined): boolean;
}

const changed = (resource: Resource | undefined) => resource?.metadata.version === 2n;

/** Each on a resource of its own, so that one does not see the traces of another. */
const operations: Readonly<Record<string, Operation>> = {
  get: { needs: ['get'], run: (state, at) => state.get(at) },
  list: { needs: ['list'], onKind: true, run: (state, at) => state.list(at) },
  create: {
    needs: ['create'],
    run: (state, at) => state.create(resourceAt(at)),
    done: (resource) => resource !== undefined,
  },
  update: { needs: ['update'], run: async (state, at) => state.update(resourceAt(at, 1n)), done: changed },
  destroy: { needs: ['destroy'], run: (state, at) => state.destroy(at), done: (resource) => resource === undefined },
  watch: { needs: ['watch'], run: async (state, at) => (await state.watch(at)).close() },
  watchKind: { needs: ['watch'], onKind: true, run: async (state, at) => (await state.watchKind(at)).close() },
  watchKindAggregated: {
    needs: ['watch'],
    onKind: true,
    run: async (state, at) => (await state.watchKindAggregated(at, { bootstrapContents: true })).close(),
  },
  teardown: { needs: ['get', 'update'], run: (state, at) => state.teardown(at), done: changed },
  teardownAndDestroy: {
    needs: ['get', 'update', 'watch', 'destroy'],
    run: (state, at) => state.teardownAndDestroy(at),
    done: (resource) => resource === undefined,
  },
  addFinalizer: { needs: ['get', 'update'], run: (state, at) => state.addFinalizer(at, 'f'), done: changed },
};

function resourceAt({ namespace, type, id }: Pointer, version?: bigint): Resource {
  const made = (type === Disk.type ? Disk : Net).new(id, { size: 1 }, { namespace });
  return version === undefined ? made : made.withMetadata(made.metadata.with({ version }));
}

/** Offers teardowns of its own, which the filter must guard as well. */
function withNativeTeardowns(core: CoreState): CoreState {
  const { teardown, teardownAndDestroy } = wrapState(core);
  return {
    get: core.get.bind(core),
    list: core.list.bind(core),
    create: core.create.bind(core),
    update: core.update.bind(core),
    destroy: core.destroy.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
    ...{
      teardown: teardown.bind(wrapState(core)),
      teardownAndDestroy: teardownAndDestroy.bind(wrapState(core)),
    },
  };
}

const may = (identity: string, names: VerbNames, subject: Kind | Pointer): boolean =>
  names.every((name) => roles.allows(identity, { ...subject, verb: verbs[name] } as Access));

describe.each(protocolEntries)('roles over %s', (protocolName, protocol) => {
  // Every combination over one protocol; over the others those in which roles differ most.
  const isFull = protocolName.startsWith('gRPC over');
  const triedKinds = isFull ? kinds : kinds.slice(0, 1);
  const tried = isFull ? identities : ['alice', 'carol', 'eve', 'grace'];

  it.each([
    ['composed', (core: CoreState) => core],
    ['native', withNativeTeardowns],
  ])(
    'A1, A3: each identity sees and changes exactly what its role says; teardowns are %s',
    async (_kind, prepare) => {
      const inner = new InMemoryState();
      const tokens = Object.fromEntries(identities.map((identity) => [`token-of-${identity}`, identity]));
      await using server = await serveState(filter(prepare(inner), accessRule(roles)), {
        address: '127.0.0.1:0',
        authenticate: bearerTokens(tokens),
      });
      const counts = { allowed: 0, denied: 0 };
      const attempt = async (state: State, identity: string, name: string, target: Pointer) => {
        const operation = operations[name] as Operation;
        if (name !== 'create') await inner.create(resourceAt(target));
        const { namespace, type } = target;
        const subject = operation.onKind === true ? { namespace, type } : target;
        const expected = may(identity, operation.needs, subject);
        const error = await operation.run(state, target).then(
          () => undefined,
          (thrown: unknown) => thrown as CosiError,
        );
        const after = await inner.get(target).catch(() => undefined);
        const what = { identity, name, subject };
        expect({ ...what, code: error?.code }).toEqual({ ...what, code: expected ? undefined : 'denied' });
        expect(error?.subject).toEqual(expected ? undefined : subject);
        const isDone = operation.done?.(after) ?? false;
        expect({ ...what, isDone }).toEqual({ ...what, isDone: expected && operation.done !== undefined });
        if (!expected && name !== 'create') expect(after?.metadata.phase).toBe('running');
        counts[expected ? 'allowed' : 'denied']++;
      };
      for (const identity of tried) {
        const headers = { authorization: `Bearer token-of-${identity}` };
        const client = remoteState(
          connectChannel(protocol({ url: server.url, headers })),
          resolveConnectStateOptions(),
          () => {},
        );
        const state = wrapState(client);
        const targets = triedKinds.flatMap((kind) =>
          ['web-1', 'db-1'].map((id) => ({ ...kind, id: `${id}-${identity}` })),
        );
        await Promise.all(
          targets.flatMap((target) =>
            Object.keys(operations).map((name) =>
              attempt(state, identity, name, { ...target, id: `${target.id}-${name}` }),
            ),
          ),
        );
        await client.close();
      }
      expect(Math.min(counts.allowed, counts.denied)).toBeGreaterThan(20);
    },
    60_000,
  );
});

describe.each(protocolEntries)('a rule that throws no error, over %s', (_protocolName, protocol) => {
  it.each([
    ['a text', 'closed today', 'closed today'],
    ['nothing', undefined, 'not allowed'],
  ])('A1, N2: refuses with %s, whatever is called', async (_what, thrown, text) => {
    const inner = new InMemoryState();
    await using server = await serveState(
      filter(inner, () => Promise.reject(thrown)),
      { address: '127.0.0.1:0' },
    );
    const client = remoteState(connectChannel(protocol({ url: server.url })), resolveConnectStateOptions(), () => {});
    const kind = { namespace: 'a', type: Disk.type };
    const target = { ...kind, id: 'web-1' };
    for (const [name, { run, onKind }] of Object.entries(operations)) {
      const error = await run(wrapState(client), target).catch((caught: unknown) => caught);
      expect([name, error]).toMatchObject([name, { code: 'denied', message: expect.stringContaining(text) }]);
      expect((error as CosiError).subject).toEqual(onKind === true ? kind : target);
    }
    await client.close();
    expect(await inner.list(Disk.kind)).toEqual([]);
  });
});

describe('a filter before a remote state', () => {
  it('A3: guards the calls that the server offers natively', async () => {
    const inner = new InMemoryState();
    await inner.create(Disk.new('web-1', { size: 1 }));
    await inner.create(Disk.new('db-1', { size: 1 }));
    await using server = await serveState(inner, { address: '127.0.0.1:0' });
    await using remote = connectState(server.url);
    const state = wrapState(filter(remote, accessRule(roles)));
    const context = { identity: 'carol' };
    const denials = await Promise.all(
      [
        () => state.teardown(Disk.at('db-1'), { context }),
        () => state.teardownAndDestroy(Disk.at('db-1'), { context }),
        () => state.list(Disk.kind, { context }),
      ].map((call) =>
        call().then(
          () => undefined,
          (error: unknown) => (error as CosiError).code,
        ),
      ),
    );
    expect(denials).toEqual(['denied', 'denied', 'denied']);
    const written = await state.writeMany([{ type: 'destroy', pointer: Disk.at('db-1') }], { context });
    expect(written).toMatchObject([{ status: 'rejected', reason: { code: 'denied' } }]);
    await state.teardownAndDestroy(Disk.at('web-1'), { context });
    expect((await inner.list(Disk.kind)).map(({ metadata }) => [metadata.id, metadata.version])).toEqual([
      ['db-1', 1n],
    ]);
  });
});
