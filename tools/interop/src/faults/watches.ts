import assert from 'node:assert/strict';
import { openFaultProxy } from '@cosi-ts/faults';
import { Seeded } from '@cosi-ts/harness';
import { orders } from '../exchange/resources.js';
import { PlainReader, type PlainWatch, type Side, textOf } from '../exchange/side.js';
import type { ServedState } from '../our-servers.js';
import { faultsOf, strike } from './mischief.js';
import { Scribe } from './scribe.js';

/** A server, who watches it through a proxy, and how. */
export interface FaultyWatch {
  readonly server: ServedState;
  /** Whether the server can be opened anew from what it stored. */
  readonly reopens: boolean;
  readonly connect: (address: string) => Side & AsyncDisposable;
  readonly watched: PlainWatch;
  readonly seed: number;
}

/** So many faults come; with more changes in all than this allows for, a Go server would have forgotten some. */
const faults = 10;

const kind: PlainWatch = { ...orders, bootstrapContents: true, bootstrapBookmark: true };

/** The forms of a watch. Those of a kind hold a bookmark from the beginning, that of a resource from its first event. */
export const faultyForms: readonly (readonly [name: string, watched: PlainWatch])[] = [
  ['a watch of a kind', kind],
  ['an aggregated watch of a kind', { ...kind, aggregated: true }],
  ['a watch of one resource', { ...orders, id: 'a' }],
];

/** Checks that the watch gives every event once and in order, whatever happens to its connection. */
export async function watchThroughFaults({ server, reopens, connect, watched, seed }: FaultyWatch): Promise<void> {
  const random = new Seeded(seed);
  await using proxy = await openFaultProxy(server.address);
  await using watcher = connect(proxy.address);
  await using scribe = new Scribe(server.address, random);
  const reader = new PlainReader(await watcher.watch(watched));
  const seen: string[] = [];
  const catchUp = async () => {
    const expected = scribe.events.filter(({ id }) => watched.id === undefined || id === watched.id);
    for (const { text } of expected.slice(seen.length)) {
      const found = textOf(await reader.next());
      assert.equal(found, text, `seed ${seed}, after ${seen.slice(-5).join(', ')}`);
      seen.push(text);
    }
  };
  try {
    const beginning = watched.id === undefined ? ['bootstrapped', 'noop'] : ['destroyed a@undefined'];
    assert.deepEqual((await reader.take(beginning.length)).map(textOf), beginning);
    await scribe.write(1);
    await catchUp();
    for (let i = 0; i < faults; i++) {
      const fault = random.pick(faultsOf(proxy, server, reopens));
      await scribe.write(1 + random.below(3));
      await strike(fault, random, () => scribe.write(1 + random.below(3)));
      if (fault.serverAway) await scribe.renew();
      // Now and then the next fault comes before the last one is overcome.
      if (random.float() < 0.7) await catchUp();
    }
    // The last change is the next event, and nothing comes twice before it.
    await scribe.write(1);
    await catchUp();
  } finally {
    await reader.close();
  }
}
