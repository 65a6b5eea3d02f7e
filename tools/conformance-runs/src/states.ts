import { conformanceNamespace, type StateFactory, type StateFeatures, type StateUnderTest } from '@cosi-ts/conformance';
import { type CoreState, canClose, filter, namespaced } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { connectState, type RemoteState, serveState } from '@cosi-ts/transport';
import { inspect } from '../../../packages/state-inmem/src/internal.js';
import { connectThroughLibrary } from '../../../packages/transport/src/internal.js';
import { againOnFailure } from './again.js';
import { FallibleStore } from './fallible-store.js';

/** A state that the suite runs against, and what it declares. */
export interface StateRun {
  readonly name: string;
  readonly supports: Partial<StateFeatures>;
  readonly factory: StateFactory;
  /** How many random sequences of commands are compared with the model. */
  readonly modelRuns: number;
}

export const counted: Partial<StateFeatures> = { openWatches: true };
const small = (events: number): Partial<StateFeatures> => ({
  ...counted,
  historyEvents: events,
  overrunEvents: events,
});

const counting = (state: InMemoryState): StateUnderTest => ({ state, openWatches: () => inspect(state).watches });

function inMemory(maxEvents?: number): () => StateUnderTest {
  return () => {
    const history = maxEvents === undefined ? {} : { maxEvents };
    return counting(new InMemoryState({ history }));
  };
}

/** In memory, behind one handle for all namespaces. */
const manyNamespaces = (): StateUnderTest => {
  const states: InMemoryState[] = [];
  const state = namespaced((name) => {
    const built = new InMemoryState(name);
    states.push(built);
    return built;
  });
  return { state, openWatches: () => states.reduce((sum, each) => sum + inspect(each).watches, 0) };
};

/** Behind a rule that allows everything, after a turn for thinking about it. */
function filtered(guarded: () => StateUnderTest): () => StateUnderTest {
  return () => {
    const { state, ...rest } = guarded();
    const rule = async () => {
      await undefined;
    };
    return { ...rest, state: filter(state, rule) };
  };
}

/** In memory, with a store of which every other write fails. */
const stored: StateFactory = () => {
  const store = new FallibleStore();
  store.failsWrite = (write) => write % 2 === 1;
  const state = new InMemoryState({ store });
  return { state: againOnFailure(state), openWatches: () => inspect(state).watches };
};

/** Through a server on loopback and a client of its own. */
export function remote(served: StateFactory, connect: (url: string) => RemoteState = connectState): StateFactory {
  return async () => {
    const { state, openWatches, dispose = () => closed(state) } = await served();
    const server = await serveState(state, { address: '127.0.0.1:0' });
    const client = connect(server.url);
    return {
      state: client,
      openWatches,
      dispose: async () => {
        await client.close();
        await server.close();
        await dispose();
      },
    };
  };
}

async function closed(state: CoreState): Promise<void> {
  if (canClose(state)) await state.close();
}

export const native: Partial<StateFeatures> = { nativeTeardown: true, nativeTeardownAndDestroy: true };

export const localRuns: readonly StateRun[] = [
  { name: 'in-memory', factory: inMemory(), supports: counted, modelRuns: 100 },
  { name: 'in-memory, history of 10 events', factory: inMemory(10), supports: small(10), modelRuns: 200 },
  { name: 'in-memory, history of 1 event', factory: inMemory(1), supports: small(1), modelRuns: 100 },
  { name: 'in-memory, with a store that fails', factory: stored, supports: counted, modelRuns: 100 },
  {
    name: 'in-memory, of one namespace',
    factory: () => counting(new InMemoryState(conformanceNamespace)),
    supports: { ...counted, namespaces: false },
    modelRuns: 20,
  },
  { name: 'namespaced in-memory', factory: manyNamespaces, supports: { ...counted, ...native }, modelRuns: 100 },
  { name: 'filtered in-memory', factory: filtered(inMemory()), supports: counted, modelRuns: 100 },
];

/** Buffers of sockets, HTTP/2 streams and both ends hold this much, and a message more. */
const overrunBytes = 4 * 1024 * 1024;

export const remoteRuns: readonly StateRun[] = [
  {
    name: 'N1: in-memory, history of 100 events, through client and server',
    factory: remote(inMemory(100)),
    supports: { ...small(100), ...native, overrunBytes },
    modelRuns: 20,
  },
  {
    name: 'N1: filtered and namespaced in-memory, through client and server',
    factory: remote(filtered(manyNamespaces)),
    supports: { ...counted, ...native },
    modelRuns: 20,
  },
  {
    name: 'N1: in-memory, history of 100 events, through client and server, with the RPC library on both sides',
    factory: remote(inMemory(100), connectThroughLibrary),
    supports: { ...small(100), ...native, overrunBytes },
    modelRuns: 5,
  },
];
