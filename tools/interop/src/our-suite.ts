import { modelConformance, type StateFactory, type StateFeatures, stateConformance } from '@cosi-ts/conformance';
import { connectState } from '@cosi-ts/transport';
import type { GoPeer } from './go-peer.js';
import { directions, type Suite, type TestOutcome } from './outcome.js';
import { collectTests, runTests, type Test } from './test-run.js';

/** What the states of the Go implementation do otherwise, as our suite is told. */
const goFeatures: Partial<StateFeatures> = Object.freeze({
  nativeTeardown: true,
  nativeTeardownAndDestroy: true,
  // Numbers of label terms are 64-bit integers.
  exactNumbers: false,
  presentBookmark: false,
  bookmarksAcrossKinds: false,
  nameRules: false,
  updatedOnCreate: false,
  // Its errors have no details; status codes stand for several.
  errorCodes: false,
  // Each call has a goroutine of its own.
  callOrder: false,
  sharedTeardowns: false,
  // Of a hundred events 95 are safe, and a bookmark has to be one of them.
  historyEvents: 94,
  overrunEvents: 100,
  // What sockets and HTTP/2 streams hold.
  overrunBytes: 4 * 1024 * 1024,
});

/** The features of a state that lacks nothing that can be seen through a client. */
const wholeFeatures: Partial<StateFeatures> = {
  nativeTeardown: true,
  nativeTeardownAndDestroy: true,
  overrunEvents: 10_000,
};

/** Much runs at the same time, and a burst of megabytes may have to wait for its turn. */
const patience = { waitMs: 20_000, testMs: 180_000 } as const;

/** How many tests run at the same time. */
const testsAtOnce = 4;

/** How many random sequences are compared with the model. */
const modelRuns = 20;

/** Our conformance suite through our client, each test against a fresh server of the Go implementation. */
export function ourSuite(peer: GoPeer, stranger: GoPeer, backend: string): Suite {
  const freshOn =
    (where: GoPeer): StateFactory =>
    async () => {
      const server = await where.serve(backend);
      const state = connectState(`http://${server.address}`);
      const dispose = async () => {
        await state.close();
        await server.close();
      };
      // All states of one Go process take each other's bookmarks.
      return { state, stranger: freshOn(stranger), dispose };
    };
  const tests = testsOf(freshOn(peer), goFeatures);
  const titles = new Set(tests.map(({ title }) => title));
  const leftOut = testsOf(freshOn(peer), wholeFeatures).filter(({ title }) => !titles.has(title));
  const skipped = leftOut.map(({ title }): TestOutcome => ({ title, verdict: 'skipped', tookMs: 0 }));
  return {
    name: 'our state suite',
    direction: directions.toGo,
    backend,
    remark: 'skipped is what states of Go lack, see below',
    run: async (onOutcome) => [...(await runTests(tests, testsAtOnce, onOutcome)), ...skipped],
  };
}

function testsOf(factory: StateFactory, supports: Partial<StateFeatures>): readonly Test[] {
  return collectTests((runner) => {
    const options = { ...runner, ...patience, factory, supports };
    stateConformance(options);
    runner.describe('model', () => modelConformance({ ...options, runs: modelRuns }));
  });
}
