// The durable server that is killed and started again on the same folder and port.

import { answerQuestions } from '@cosi-ts/harness';
import { protobufMarshaler } from '@cosi-ts/marshalers';
import { namespaced } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import { serveState } from '@cosi-ts/transport';

export interface ServerOrders {
  readonly folder: string;
  readonly port: number;
  /** How many events are kept, in memory and in the log. */
  readonly keptEvents: number;
}

export interface ServerReady {
  readonly port: number;
}

const { folder, port, keptEvents: maxEvents } = JSON.parse(process.argv[2] as string) as ServerOrders;
const store = await openLevelDBStore(folder, {
  marshaler: protobufMarshaler(),
  // Killed is a process, not the host.
  durability: 'os',
  log: { maxEvents, slack: 0 },
});
const core = namespaced((name) => new InMemoryState(name, { store: store.namespace(name), history: { maxEvents } }));
const server = await serveState(core, { address: `127.0.0.1:${port}` });

answerQuestions({}, { port: Number(server.address.split(':').at(-1)) } satisfies ServerReady);
