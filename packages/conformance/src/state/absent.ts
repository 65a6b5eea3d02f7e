import { isInvalidArgument, isInvalidBookmark, isUnsupported, label } from '@cosi-ts/resource';
import { canClose, canTeardown, canTeardownAndDestroy } from '@cosi-ts/state';
import { check, equal, rejection, rejectsWith } from '../assertions.js';
import { Items, Others, otherNamespace } from '../items.js';
import type { StateSuite } from '../state-suite.js';
import { bookmarkOf } from './bookmarks.js';

/** What is declared absent must be so: `unsupported`, or not there. */
export function featureTests({ it, features }: StateSuite): void {
  it('S10: teardown is native as the features say', async (t) => {
    equal(canTeardown(t.core), features.nativeTeardown, 'that it has a teardown of its own');
  });

  it('S12: teardownAndDestroy is native as the features say', async (t) => {
    equal(canTeardownAndDestroy(t.core), features.nativeTeardownAndDestroy, 'that it has a teardownAndDestroy');
  });

  it('S7: the state can be closed as the features say', async (t) => {
    equal(canClose(t.core), features.close, 'that it has a close()');
  });

  if (!features.labelQueries) {
    it('S3, S7: label queries are unsupported, as the features say', async (t) => {
      const labels = [label('tier').is('web')];
      for (const name of ['list', 'watchKind', 'watchKindAggregated'] as const) {
        await rejectsWith(t.core[name](t.kind, { labels }), 'unsupported', `${name} with labels`);
      }
    });
  }

  if (!features.idQueries) {
    it('S3, S7: id queries are unsupported, as the features say', async (t) => {
      for (const name of ['list', 'watchKind', 'watchKindAggregated'] as const) {
        await rejectsWith(t.core[name](t.kind, { id: '^a' }), 'unsupported', `${name} with an id pattern`);
      }
    });
  }

  if (!features.tailEvents) {
    it('W7, S7: tails are unsupported, as the features say', async (t) => {
      await rejectsWith(t.core.watch(t.at('a'), { tailEvents: 1 }), 'unsupported', 'watch with a tail');
      for (const name of ['watchKind', 'watchKindAggregated'] as const) {
        await rejectsWith(t.core[name](t.kind, { tailEvents: 1 }), 'unsupported', `${name} with a tail`);
      }
    });
  }

  if (!features.bookmarks) {
    it('W8, S7: bookmarks are unsupported, as the features say', async (t) => {
      const startFromBookmark = new Uint8Array(16);
      await rejectsWith(t.core.watch(t.at('a'), { startFromBookmark }), 'unsupported', 'watch from a bookmark');
      for (const name of ['watchKind', 'watchKindAggregated'] as const) {
        await rejectsWith(t.core[name](t.kind, { startFromBookmark }), 'unsupported', `${name} from a bookmark`);
        await rejectsWith(t.core[name](t.kind, { bootstrapBookmark: true }), 'unsupported', `${name} asked for one`);
      }
      const reader = await t.watchKind({ bootstrapContents: true });
      await t.create('a');
      for (const event of await reader.expect('bootstrapped', 'created a@1')) {
        check(event.type !== 'errored' && event.bookmark === undefined, 'no event may have a bookmark');
      }
    });
  }

  if (features.bookmarks && !features.bookmarksAcrossKinds) {
    it('W9: a bookmark of another kind is refused, or counts for the kind it is used for, as the features say', async (t) => {
      await t.create('a');
      await t.create('b');
      const others = await t.watchKind({ kind: Others.kind });
      await t.core.create(Others.new('x', { value: 1 }));
      const [x] = await others.expect('created x@1');
      const watching = t.watchKind({ startFromBookmark: bookmarkOf(x) });
      const refused = await watching.then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!isInvalidBookmark(refused)) await (await watching).expect('created b@1');
    });
  }

  if (!features.namespaces) {
    it('S15, S7: other namespaces are refused, as the features say', async (t) => {
      const elsewhere = Items.new('a', { value: 1 }, { namespace: otherNamespace });
      const error = await rejection(t.core.create(elsewhere), 'create in another namespace');
      check(isUnsupported(error) || isInvalidArgument(error), `it must be refused as such, not with ${error}`);
    });
  }

  if (!features.nameRules) {
    it('S17: create accepts what the rules refuse, as the features say', async (t) => {
      await t.create('x'.repeat(1025));
      await t.create('a\0b');
    });
  }
}
