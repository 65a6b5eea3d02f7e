import { label } from '@cosi-ts/resource';
import { check, equal, rejectsWith } from '../assertions.js';
import { Others } from '../items.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';
import { bookmarkOf } from './bookmarks.js';
import { type KindForm, kindForms } from './kind-forms.js';

const texts = ['created a@1', 'created b@1', 'updated a@2', 'updated a@3', 'updated b@2', 'destroyed a@3'];

/** The six events of `texts`, with those of another kind between them. */
async function history(t: StateTest): Promise<void> {
  const a1 = await t.create('a', 1, { labels: { tier: 'web' } });
  const b1 = await t.create('b', 1, { labels: { tier: 'db' } });
  await t.core.create(Others.new('a', { value: 1 }));
  const a2 = await t.setValue(a1, 2);
  await t.change(a2, { labels: { tier: 'db' } });
  await t.core.destroy(Others.at('a'));
  await t.setValue(b1, 2);
  await t.core.destroy(t.at('a'));
}

export function tailTests(suite: StateSuite): void {
  exclusionTests(suite);
  if (!suite.features.tailEvents) return;
  for (const form of kindForms) kindTailTests(suite, form);
  oneTailTests(suite);
}

function kindTailTests({ it, itKeeping, features }: StateSuite, { name, open }: KindForm): void {
  for (const count of [1, 2, 5, 6]) {
    itKeeping(6)(`W7: ${name} with a tail of ${count} begins with the last ${count} events of the kind`, async (t) => {
      await history(t);
      const reader = await open(t, { tailEvents: count });
      await reader.expect(...texts.slice(-count));
      await t.quiet(reader);
    });
  }

  itKeeping(6)(`W7: ${name} with a longer tail than there are events begins with all of them`, async (t) => {
    await history(t);
    const reader = await open(t, { tailEvents: 1000 });
    await reader.expect(...texts);
    await t.quiet(reader);
  });

  itKeeping(1)(`W7: the tail of ${name} is as long as what is kept`, async (t) => {
    let stored = await t.create('a');
    const written = Math.min(features.overrunEvents ?? 20, 300) + 5;
    for (let i = 0; i < written; i++) stored = await t.setValue(stored, i);
    const kept = Math.min(features.historyEvents, written + 1);
    const reader = await open(t, { tailEvents: kept });
    const versions = Array.from({ length: kept }, (_, i) => written + 2 - kept + i);
    await reader.expect(...versions.map((version) => (version === 1 ? 'created a@1' : `updated a@${version}`)));
    await t.quiet(reader);
  });

  for (const count of [0, -1]) {
    it(`W7: ${name} with a tail of ${count} has none`, async (t) => {
      await t.create('a');
      const reader = await open(t, { tailEvents: count });
      await t.quiet(reader);
    });
  }

  it(`W7: ${name} with a tail on a kind without events begins with nothing`, async (t) => {
    const reader = await open(t, { tailEvents: 5 });
    await t.quiet(reader);
  });

  itKeeping(2)(`W1, W7: the start of the tail is fixed by the call of ${name}, not by the first read`, async (t) => {
    await t.create('a');
    const reader = await open(t, { tailEvents: 1, lazy: true });
    await t.create('b');
    await reader.expect('created a@1', 'created b@1');
    await t.quiet(reader);
  });

  if (features.labelQueries) {
    itKeeping(6)(`W7: the tail of ${name} counts events of the kind, then labels filter them`, async (t) => {
      await history(t);
      const labels = [label('tier').is('web')];
      const four = await open(t, { tailEvents: 4, labels });
      await four.expect('updated a@2', 'destroyed a@3');
      const two = await open(t, { tailEvents: 2, labels });
      const marker = await t.mark(t.kind, { labels: { tier: 'web' } });
      await four.expect(marker);
      await two.expect(marker);
    });
  }

  if (features.bookmarks) {
    itKeeping(6)(`W7: a noop of ${name} comes before the tail, with the position before it`, async (t) => {
      await history(t);
      const reader = await open(t, { tailEvents: 2, bootstrapBookmark: true });
      const [noop] = await reader.expect('noop', ...texts.slice(-2));
      const again = await open(t, { startFromBookmark: bookmarkOf(noop) });
      await again.expect(...texts.slice(-2));
      const marker = await t.mark();
      await reader.expect(marker);
      await again.expect(marker);
    });

    itKeeping(6)(`W8: the events of a tail of ${name} have bookmarks`, async (t) => {
      await history(t);
      const reader = await open(t, { tailEvents: 3 });
      const events = await reader.expect(...texts.slice(-3));
      for (const [i, event] of events.entries()) {
        const again = await open(t, { startFromBookmark: bookmarkOf(event) });
        await again.expect(...texts.slice(-3).slice(i + 1));
      }
    });
  }
}

function oneTailTests({ it, itKeeping, features }: StateSuite): void {
  const ofA = texts.filter((text) => text.includes(' a@'));
  for (const count of [1, 2, 3, 4]) {
    itKeeping(6)(
      `W7: a watch of one resource with a tail of ${count} begins with the last ${count} events about it`,
      async (t) => {
        await history(t);
        const reader = await t.watch(t.at('a'), { tailEvents: count });
        await reader.expect(...ofA.slice(-count));
        await t.create('a');
        await reader.expect('created a@1');
      },
    );
  }

  itKeeping(6)(
    'W7: a watch of one resource with a longer tail begins with all events about it that are kept',
    async (t) => {
      await history(t);
      const reader = await t.watch(t.at('b'), { tailEvents: 100 });
      await reader.expect('created b@1', 'updated b@2');
      await t.core.destroy(t.at('b'));
      await reader.expect('destroyed b@2');
    },
  );

  it('W4, W7: a watch with a tail of a resource without events begins with nothing', async (t) => {
    await t.create('other');
    const reader = await t.watch(t.at('a'), { tailEvents: 5 });
    await t.create('a');
    await reader.expect('created a@1');
  });

  for (const count of [0, -3]) {
    it(`W7: a watch of one resource with a tail of ${count} tells the present`, async (t) => {
      await t.create('a');
      const reader = await t.watch(t.at('a'), { tailEvents: count });
      await reader.expect('created a@1');
    });
  }

  if (features.oldOnUpdated) {
    itKeeping(2)('W3, W7: the updates of a tail bring the resource before', async (t) => {
      await t.setValue(await t.create('a', 1), 2);
      for (const reader of [await t.watch(t.at('a'), { tailEvents: 1 }), await t.watchKind({ tailEvents: 1 })]) {
        const [event] = await reader.expect('updated a@2');
        check(event?.type === 'updated' && event.old !== undefined, 'it must bring the resource before');
        equal(t.valueOf(event.old), 1, 'the spec before');
      }
    });
  }
}

function exclusionTests({ it, features }: StateSuite): void {
  const start = async (t: StateTest) => {
    const reader = await t.watchKind({ bootstrapBookmark: true });
    const [noop] = await reader.expect('noop');
    return bookmarkOf(noop);
  };
  const excluded = features.errorCodes ? 'invalid-argument' : 'unknown';
  const refused = (watching: Promise<unknown>, what: string) => rejectsWith(watching, excluded, what);

  if (features.tailEvents && features.bookmarks) {
    it('W7, W1: a watch of one resource refuses a tail together with a bookmark', async (t) => {
      const startFromBookmark = await start(t);
      await refused(t.core.watch(t.at('a'), { tailEvents: 1, startFromBookmark }), 'watch with both');
    });
  }

  if (features.tailEvents) {
    it('W7, W1: a tail that is no whole number is refused', async (t) => {
      for (const tailEvents of [1.5, Number.NaN]) {
        const what = `a tail of ${tailEvents}`;
        await rejectsWith(t.core.watch(t.at('a'), { tailEvents }), 'invalid-argument', `watch with ${what}`);
        for (const { name } of kindForms) {
          await rejectsWith(t.core[name](t.kind, { tailEvents }), 'invalid-argument', `${name} with ${what}`);
        }
      }
    });
  }

  for (const { name } of kindForms) {
    if (features.tailEvents && features.bookmarks) {
      it(`W7, W1: ${name} refuses a tail together with a bookmark`, async (t) => {
        const startFromBookmark = await start(t);
        await refused(t.core[name](t.kind, { tailEvents: 1, startFromBookmark }), `${name} with both`);
      });
    }
    if (features.tailEvents) {
      it(`W7, W1: ${name} refuses a tail together with a bootstrap`, async (t) => {
        await refused(t.core[name](t.kind, { tailEvents: 1, bootstrapContents: true }), `${name} with both`);
      });
    }
    if (features.bookmarks) {
      it(`W7, W1: ${name} refuses a bookmark together with a bootstrap`, async (t) => {
        const startFromBookmark = await start(t);
        await refused(t.core[name](t.kind, { startFromBookmark, bootstrapContents: true }), `${name} with both`);
      });
    }
    it(`W7: ${name} takes a tail of 0 together with a bootstrap`, async (t) => {
      await t.create('a');
      const reader = t.reader(await t.core[name](t.kind, { tailEvents: 0, bootstrapContents: true }));
      await reader.expect('created a@1', 'bootstrapped');
    });
  }
}
