import { equal } from '../assertions.js';
import { namespace } from '../items.js';
import { show } from '../show.js';
import { ofInts } from './controllers.js';
import type { RuntimeSuite } from './runtime-suite.js';

export function leaderTests({ it }: RuntimeSuite): void {
  it('C18: of two runtimes one leads, and the other takes over when it ends', async (t) => {
    const calls: string[] = [];
    const tokens: number[] = [];
    const candidate = (name: string) => {
      const leaderElection = new t.lib.StateElection(t.core, {
        namespace,
        identity: name,
        leaseMs: 2000,
        renewDeadlineMs: 1000,
        retryMs: 10,
        clock: t.clock,
        logger: t.log,
      });
      const controller = ofInts(
        t.lib,
        ({ id }, { fencingToken = 0 }) => {
          calls.push(`${name} ${id}`);
          tokens.push(fencingToken);
        },
        { needsLeader: true },
      );
      return t.run([controller], { leaderElection });
    };
    await t.put('a', 1);
    const first = candidate('first');
    await t.becomes(() => calls, ['first a'], 'the calls');
    const second = candidate('second');
    await t.put('b', 1);
    await t.becomes(() => calls, ['first a', 'first b'], 'the calls while the first leads');
    equal(second.report('OfInts').status, 'standby', 'the status of the other one');
    await first.stop();
    await t.until(
      () => calls.includes('second a') && calls.includes('second b'),
      () => `the other takes over: ${show(calls)}`,
    );
    await t.put('c', 1);
    await t.until(() => calls.includes('second c'), 'the other goes on');
    equal(
      calls.filter((call) => call.startsWith('first')),
      ['first a', 'first b'],
      'the calls of the first',
    );
    const [least = 0, most = 0] = [tokens[0], tokens.at(-1)];
    equal(
      tokens.toSorted((a, b) => a - b),
      tokens,
      'tokens only grow',
    );
    equal(most > least, true, 'whether the second has a higher token than the first');
  });
}
