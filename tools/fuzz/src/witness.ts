// The client that must not notice that the server is being attacked: it works all the time, and tells how that went.
import { setTimeout as delay } from 'node:timers/promises';
import { answerQuestions } from '@cosi-ts/harness';
import { defineResource } from '@cosi-ts/resource';
import { type State, wrapState } from '@cosi-ts/state';
import { connectState, type RemoteState } from '@cosi-ts/transport';
import { witnessNamespace } from './attacked-core.js';

export interface Testimony {
  /** How many calls there were since it was asked last. */
  readonly calls: number;
  /** What went wrong. */
  readonly failures: readonly string[];
  readonly medianMs: number;
  readonly longestMs: number;
}

export type WitnessAnswers = {
  /** After the watch has given everything that was written before. */
  testimony(): Promise<Testimony>;
};

/** Between two rounds of calls. */
const restMs = 10;

/** A new connection is made after so many rounds of calls: that must go well too. */
const roundsOfConnection = 20;

/** How long the watch may take to give what was written. */
const watchMs = 20_000;

const Note = defineResource<{ n: number }>({ type: 'Notes.fuzz.cosi.dev', namespace: witnessNamespace });

const url = process.argv[2] as string;
const watched = wrapState(connectState(url));

let failures: string[] = [];
let tookMs: number[] = [];
/** What was written, in order, and the watch has not given yet. */
const expected: string[] = [];

function fail(what: string, error: unknown): void {
  if (failures.length < 20) failures.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
}

async function call<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  try {
    return await work();
  } catch (error) {
    fail(what, error);
    throw error;
  } finally {
    tookMs.push(performance.now() - begin);
  }
}

async function round(state: State, n: number): Promise<void> {
  const id = `note-${n}`;
  const labels = { parity: n % 2 === 0 ? 'even' : 'odd' };
  expected.push(`created ${id}`);
  await call('create', () => state.create(Note.new(id, { n }, { labels })));
  const read = await call('get', () => state.get(Note.at(id)));
  if (read.spec.n !== n) fail('get', `${id} holds ${read.spec.n}`);
  expected.push(`updated ${id}`);
  await call('update', () =>
    state.modify(Note.at(id), (draft) => {
      draft.metadata.labels.read = 'yes';
    }),
  );
  const listed = await call('list', () => state.list(Note.kind));
  if (listed.length !== 1) fail('list', `${listed.length} resources instead of one`);
  expected.push(`destroyed ${id}`);
  await call('destroy', () => state.destroy(read.metadata));
}

async function work(): Promise<never> {
  let before: RemoteState | undefined;
  for (let n = 0; ; ) {
    const client = connectState(url);
    const state = wrapState(client);
    for (let i = 0; i < roundsOfConnection; i++) {
      await round(state, n++);
      // Not before the next connection is there: who counts the server's connections relies on this one.
      if (i === 0) await before?.close();
      await delay(restMs);
    }
    before = client;
  }
}

async function watch(): Promise<void> {
  for await (const event of await watched.watchKind(Note.kind)) {
    if (event.type === 'errored') throw event.error;
    if (event.type === 'bootstrapped' || event.type === 'noop') throw new Error(`an unasked ${event.type}`);
    const seen = `${event.type} ${event.resource.metadata.id}`;
    const next = expected.shift();
    if (seen !== next) throw new Error(`the watch gave ${seen} instead of ${next}`);
  }
  throw new Error('the watch ended');
}

watch().catch((error: unknown) => fail('watch', error));
// What failed has been noted; one failure is enough.
work().catch(() => {});

answerQuestions<WitnessAnswers>(
  {
    async testimony() {
      const last = expected.at(-1);
      const until = performance.now() + watchMs;
      while (last !== undefined && expected.includes(last) && failures.length === 0 && performance.now() < until) {
        await delay(5);
      }
      if (last !== undefined && expected.includes(last)) fail('watch', `${last} did not come`);
      const sorted = tookMs.toSorted((a, b) => a - b);
      const told = {
        calls: sorted.length,
        failures,
        medianMs: sorted[sorted.length >> 1] ?? 0,
        longestMs: sorted.at(-1) ?? 0,
      };
      failures = [];
      tookMs = [];
      return told;
    },
  },
  undefined,
);
