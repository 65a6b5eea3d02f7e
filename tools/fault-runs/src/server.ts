// The durable server that is killed and started again on the same folder and port.

import { answerQuestions, countWatches } from '@cosi-ts/harness';
import { protobufMarshaler } from '@cosi-ts/marshalers';
import { namespaced, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import { serveState } from '@cosi-ts/transport';
import { even, eventText, Thing, watchedId } from './things.js';

export interface ServerOrders {
  readonly folder: string;
  readonly port: number;
}

export interface ServerReady {
  readonly port: number;
}

export interface HistoryQuestion {
  /** Of one thing, of those with an even number, or of all. */
  readonly of: 'one' | 'even' | 'all';
  /** The events after that: a bookmark in hexadecimal digits. */
  readonly bookmark: string;
  readonly count: number;
}

export type ServerAnswers = {
  /** How many watches hold something here. */
  watches(): number;
  /** What the state itself tells of the things. */
  history(question: HistoryQuestion): Promise<readonly string[]>;
};

const { folder, port } = JSON.parse(process.argv[2] as string) as ServerOrders;
const store = await openLevelDBStore(folder, { marshaler: protobufMarshaler() });
const core = namespaced((name) => new InMemoryState(name, { store: store.namespace(name) }));
const watches = countWatches(core);
const server = await serveState(core, { address: `127.0.0.1:${port}` });
const state = wrapState(core);

answerQuestions<ServerAnswers>(
  {
    watches: () => watches.open,
    async history({ of, bookmark, count }) {
      const options = { startFromBookmark: Buffer.from(bookmark, 'hex') };
      await using watch =
        of === 'one'
          ? await state.watch(Thing.at(watchedId), options)
          : await state.watchKind(Thing.kind, of === 'even' ? { ...options, labels: [even] } : options);
      const texts: string[] = [];
      while (texts.length < count) {
        const { value } = await watch.next();
        if (value === undefined) break;
        texts.push(eventText(value));
      }
      return texts;
    },
  },
  { port: Number(server.address.split(':').at(-1)) } satisfies ServerReady,
);
