// The durable server that is killed and started again on the same folder and port.

import { setTimeout as delay } from 'node:timers/promises';
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

/** Nothing more is to be expected when nothing comes for so long. */
const endMs = 5000;

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
        // Who asks for more than there is has been given something twice.
        const next = await Promise.race([watch.next(), delay(endMs)]);
        if (next?.value === undefined) break;
        texts.push(eventText(next.value));
      }
      return texts;
    },
  },
  { port: Number(server.address.split(':').at(-1)) } satisfies ServerReady,
);
