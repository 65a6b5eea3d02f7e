import { rejectsWith, sameResource } from '../assertions.js';
import { Others } from '../items.js';
import type { StateSuite } from '../state-suite.js';

export function getTests({ it }: StateSuite): void {
  it('S2: get gives the stored resource with all that it holds', async (t) => {
    const stored = await t.create('a', 7, {
      owner: 'someone',
      finalizers: ['z', 'a'],
      labels: { tier: 'web', 'a/b': '' },
      annotations: { note: 'ü\n"quoted"' },
    });
    sameResource(await t.core.get(t.at('a')), stored, 'what get gives');
    sameResource(await t.core.get(t.at('a')), stored, 'what a second get gives');
  });

  it('S2: get gives the newest state of the resource', async (t) => {
    const first = await t.create('a', 1);
    const second = await t.setValue(first, 2);
    sameResource(await t.core.get(t.at('a')), second, 'what get gives after an update');
  });

  it('S2, S7: get of what never was is not-found and names the pointer', async (t) => {
    await t.create('other');
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get of an absent resource', t.at('a'));
  });

  it('S2: get of what was destroyed is not-found', async (t) => {
    await t.create('a');
    await t.core.destroy(t.at('a'));
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get after destroy', t.at('a'));
  });

  it('S2: an id of one type is not found in another', async (t) => {
    await t.create('a');
    await rejectsWith(t.core.get(Others.at('a')), 'not-found', 'get of the id in another type', Others.at('a'));
  });
}
