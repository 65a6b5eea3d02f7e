import { VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordingLogger } from '../testdata/harness.js';
import type { Lease } from './leader-election.js';
import { StateElection } from './state-election.js';
import { Host, type HostSetup, seededRandom } from './testdata/host.js';

const troubleMs = 90_000;
const longestSpanMs = 30_000;

const spans = fc.array(
  fc.record({ fromMs: fc.integer({ min: 0, max: troubleMs }), forMs: fc.integer({ min: 1, max: longestSpanMs }) }),
  { maxLength: 8 },
);

const hostSetup: fc.Arbitrary<HostSetup> = fc.record({
  // Clocks as bad as these are in no computer.
  rate: fc.double({ min: 0.85, max: 1.15, noNaN: true }),
  stalls: spans,
  cuts: spans,
  delaysMs: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 20_000 })), {
    minLength: 1,
    maxLength: 12,
  }),
  calmFromMs: fc.constant(troubleMs),
});

/** What someone who leads does: at times it gives up by itself. */
const reign = fc.option(fc.integer({ min: 0, max: 40_000 }), { nil: undefined });

interface Member {
  readonly host: Host;
  lease: Lease | undefined;
}

/** Campaigns again and again, and gives a lease up after the time, or when it is lost. */
async function takePart(
  member: Member,
  election: StateElection,
  reigns: readonly (number | undefined)[],
  onTaken: (lease: Lease) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let term = 0; !signal.aborted; term++) {
    const lease = await election.campaign('Work', { signal });
    member.lease = lease;
    onTaken(lease);
    const forMs = reigns[term];
    await new Promise<void>((resolve) => {
      const timer = forMs === undefined ? undefined : member.host.clock.schedule(forMs, resolve);
      const over = () => {
        timer?.cancel();
        resolve();
      };
      if (lease.signal.aborted) over();
      lease.signal.addEventListener('abort', over, { once: true });
      signal.addEventListener('abort', over, { once: true });
    });
    await lease.release();
  }
}

/** Whether it may act, by its own clock: what it would find if it went on right now. */
function holds({ lease }: Member): boolean {
  try {
    lease?.check();
    return lease !== undefined;
  } catch {
    return false;
  }
}

describe('StateElection, in an unreliable world', () => {
  it('C18: never two hold a lease at once, tokens grow, and in the end one holds it', async () => {
    let terms = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(hostSetup, fc.array(reign, { maxLength: 4 })), { minLength: 2, maxLength: 4 }),
        async (setups) => {
          const world = new VirtualClock();
          const core = new InMemoryState();
          const stop = new AbortController();
          const tokens: number[] = [];
          const members: Member[] = [];
          const violations: string[] = [];
          const ended: Promise<unknown>[] = [];
          for (const [i, [setup, reigns]] of setups.entries()) {
            const host = new Host(world, setup);
            const member: Member = { host, lease: undefined };
            members.push(member);
            const election = new StateElection(host.state(wrapState(core)), {
              clock: host.clock,
              random: seededRandom(i),
              logger: new RecordingLogger(),
            });
            const onTaken = (lease: Lease) => {
              terms++;
              tokens.push(lease.fencingToken);
              const count = members.filter(holds).length;
              if (count > 1) violations.push(`${count} hold it at ${world.monotonicMs()}`);
            };
            ended.push(takePart(member, election, reigns, onTaken, stop.signal).catch((reason) => reason));
          }
          const holding = async () => {
            await world.advance(500);
            const count = members.filter(holds).length;
            if (count > 1) violations.push(`${count} hold it at ${world.monotonicMs()}`);
            return count;
          };
          while (world.monotonicMs() < troubleMs + longestSpanMs) await holding();
          // Within the time of a lease, and a candidate's that came to see it late.
          const calmMs = world.monotonicMs();
          while ((await holding()) !== 1) expect(world.monotonicMs()).toBeLessThan(calmMs + 40_000);
          expect(violations).toEqual([]);
          expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
          stop.abort(new Error('the end'));
          await world.advance(120_000);
          await Promise.all(ended);
          expect(world.timers).toBe(0);
        },
      ),
      // A run is minutes of a world's time: a counterexample is shown as it is found.
      { numRuns: 30, endOnFailure: true },
    );
    expect(terms).toBeGreaterThan(30);
  }, 60_000);
});
