import { equal } from '../assertions.js';
import { eventText } from '../show.js';
import type { StateSuite } from '../state-suite.js';
import { kindForms } from './kind-forms.js';

const writes = 20;
const texts = Array.from({ length: writes }, (_, i) => (i === 0 ? 'created a@1' : `updated a@${i + 1}`));

export function fairnessTests({ it }: StateSuite): void {
  for (const { name, open } of kindForms) {
    it(`W14: watches of ${name} that are not read do not hold up the others`, async (t) => {
      for (let i = 0; i < 3; i++) await open(t, { lazy: true });
      const live = [await open(t), await t.watch(t.at('a')), await open(t)] as const;
      await live[1].expect('destroyed a@-');
      for (let i = 0; i < 3; i++) await open(t, { lazy: true });
      let stored = await t.create('a', 0);
      for (let i = 1; i < writes; i++) stored = await t.setValue(stored, i);
      for (const reader of live) await reader.expect(...texts);
    });

    it(`W14: a consumer of ${name} that never finishes with an event holds up nobody`, async (t) => {
      const stuck = await t.core[name](t.kind);
      t.cleanup(() => stuck.close());
      const live = await open(t);
      await t.create('first');
      // This consumer has its first item in hand and does not come back for another.
      await t.within(stuck.next(), 'the first item of the stuck consumer');
      await live.expect('created first@1');
      for (let i = 0; i < writes; i++) {
        await t.create(`id-${i}`);
        await live.expect(`created id-${i}@1`);
      }
    });
  }

  it('W14: many watches of one kind all see the same events', async (t) => {
    const readers = await Promise.all(Array.from({ length: 100 }, (_, i) => kindForms[i % 2]?.open(t)));
    let stored = await t.create('a', 0);
    for (let i = 1; i < writes; i++) stored = await t.setValue(stored, i);
    for (const reader of readers) {
      const events = await reader?.take(writes);
      equal(events?.map(eventText), texts, 'the events of a watch');
    }
  });
}
