import {
  type CosiError,
  hasCode,
  isAlreadyExists,
  isConflict,
  isInvalidArgument,
  isNotFound,
  isOwnerConflict,
  isPendingFinalizers,
  isPhaseConflict,
  isVersionConflict,
} from '@cosi-ts/resource';
import { canClose } from '@cosi-ts/state';
import { check, equal, rejectsWith } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

interface Failure {
  readonly code: CosiError['code'];
  readonly guard: (error: unknown) => boolean;
  readonly conflict: boolean;
  readonly provoke: (t: StateTest) => Promise<unknown>;
}

/** Those that are not told apart from others where errors do not tell their codes. */
const indistinct: readonly CosiError['code'][] = ['pending-finalizers', 'invalid-argument'];

/** One way to each error, always about the item `a`. */
const failures: readonly Failure[] = [
  { code: 'not-found', guard: isNotFound, conflict: false, provoke: (t) => t.core.get(t.at('a')) },
  {
    code: 'already-exists',
    guard: isAlreadyExists,
    conflict: true,
    provoke: async (t) => {
      await t.create('a');
      await t.create('a');
    },
  },
  {
    code: 'version-conflict',
    guard: isVersionConflict,
    conflict: true,
    provoke: async (t) => {
      const stored = await t.create('a');
      await t.setValue(stored, 2);
      await t.setValue(stored, 3);
    },
  },
  {
    code: 'owner-conflict',
    guard: isOwnerConflict,
    conflict: true,
    provoke: async (t) => {
      await t.create('a', 1, { owner: 'me' });
      await t.core.destroy(t.at('a'), { owner: 'you' });
    },
  },
  {
    code: 'phase-conflict',
    guard: isPhaseConflict,
    conflict: true,
    provoke: async (t) => t.setValue(await t.create('a', 1, { phase: 'tearingDown' }), 2),
  },
  {
    code: 'pending-finalizers',
    guard: isPendingFinalizers,
    conflict: true,
    provoke: async (t) => {
      await t.create('a', 1, { finalizers: ['f'] });
      await t.core.destroy(t.at('a'));
    },
  },
  {
    code: 'invalid-argument',
    guard: isInvalidArgument,
    conflict: false,
    provoke: (t) => t.core.create(t.item('a', 1, { owner: 'me' }), { owner: 'you' }),
  },
];

export function errorTests({ it, features }: StateSuite): void {
  for (const { code, guard, conflict, provoke } of failures) {
    if (!features.errorCodes && indistinct.includes(code)) {
      const instead = conflict ? 'conflict' : 'unknown';
      it(`S7: what is ${code} elsewhere is ${instead}, as the features say`, async (t) => {
        const error = await rejectsWith(provoke(t), instead, `what should be ${instead}`, t.at('a'));
        equal(isConflict(error), conflict, 'that it is a conflict');
      });
      continue;
    }
    it(`S7: ${code} is an error class with that code, its pointer, and its guard`, async (t) => {
      const error = await rejectsWith(provoke(t), code, `what should be ${code}`, t.at('a'));
      check(error instanceof Error && error.message !== '', 'it must be an Error with a message');
      check(hasCode(error, code) && guard(error), 'its guard must know it');
      equal(isConflict(error), conflict, 'that it is a conflict');
      for (const other of failures)
        equal(other.guard(error), other.code === code, `what the guard of ${other.code} says`);
    });
  }

  it('S7: conflicts can be told apart by namespace and type', async (t) => {
    await t.create('a');
    const error = await rejectsWith(t.create('a'), 'already-exists', 'a second create');
    const { namespace, type } = t.kind;
    equal(isConflict(error, { namespace, type }), true, 'that it is a conflict of its kind');
    equal(isConflict(error, { type }), true, 'that it is a conflict of its type');
    equal(isConflict(error, { namespace: 'elsewhere' }), false, 'that it is a conflict of another namespace');
    equal(isConflict(error, { type: 'Elses.conformance.cosi.dev' }), false, 'that it is a conflict of another type');
  });

  if (features.close) {
    it('S7, W2: a closed state ends its watches and answers everything with closed', async (t) => {
      const { core } = t;
      check(canClose(core), 'it must have a close()');
      const stored = await t.create('a');
      const one = await t.watch(t.at('a'));
      await one.expect('created a@1');
      const kind = await t.watchKind();
      const aggregated = await t.watchKindAggregated();
      await core.close();
      await core.close();
      for (const reader of [one, kind, aggregated]) await reader.ended();
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        get: () => core.get(t.at('a')),
        list: () => core.list(t.kind),
        create: () => t.create('b'),
        update: () => core.update(stored),
        destroy: () => core.destroy(t.at('a')),
        watch: () => core.watch(t.at('a')),
        watchKind: () => core.watchKind(t.kind),
        watchKindAggregated: () => core.watchKindAggregated(t.kind),
      };
      for (const [name, call] of Object.entries(calls))
        await rejectsWith(call(), 'closed', `${name} on a closed state`);
    });
  }
}
