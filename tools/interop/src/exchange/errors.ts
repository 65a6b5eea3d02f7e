import assert from 'node:assert/strict';
import { orders } from './resources.js';
import { type Side, SideError } from './side.js';
import type { Scenario } from './stage.js';

const at = (id: string) => ({ ...orders, id });

/** One way to each error, with what both sides must take it for. */
const refusals: readonly (readonly [what: string, is: readonly string[], call: (side: Side) => Promise<unknown>])[] = [
  ['get of what is absent', ['not-found'], (side) => side.get(at('absent'))],
  ['create of what is there', ['conflict'], (side) => side.create({ ...at('there'), spec: {} })],
  ['create for one of what is another’s', [], (side) => side.create({ ...at('new'), owner: 'one', spec: {} }, 'two')],
  ['update of what is absent', ['not-found'], (side) => side.update({ ...at('absent'), version: '1', spec: {} })],
  ['update of an old version', ['conflict'], (side) => side.update({ ...at('there'), version: '7', spec: {} })],
  [
    'update of what is another’s',
    ['conflict', 'owner-conflict'],
    (side) => side.update({ ...at('owned'), version: '1', owner: 'someone', spec: {} }),
  ],
  [
    'update of what is tearing down',
    ['conflict', 'phase-conflict'],
    (side) => side.update({ ...at('torn'), version: '1', phase: 'tearingDown', spec: {} }),
  ],
  ['a change of what is absent', ['not-found'], (side) => side.change(at('absent'), { labels: { a: 'b' } })],
  ['a finalizer on what is absent', ['not-found'], (side) => side.addFinalizer(at('absent'), 'f')],
  ['no finalizer on what is absent', ['not-found'], (side) => side.removeFinalizer(at('absent'), 'f')],
  ['teardown of what is absent', ['not-found'], (side) => side.teardown(at('absent'))],
  ['teardown of what is another’s', ['conflict', 'owner-conflict'], (side) => side.teardown(at('owned'))],
  ['destroy of what is absent', ['not-found'], (side) => side.destroy(at('absent'))],
  ['destroy of what is another’s', ['conflict', 'owner-conflict'], (side) => side.destroy(at('owned'), 'me')],
  ['destroy of what is held', ['conflict'], (side) => side.destroy(at('torn'))],
  ['teardown and destruction of what is absent', ['not-found'], (side) => side.teardownAndDestroy(at('absent'))],
  [
    'teardown and destruction of what is another’s',
    ['conflict', 'owner-conflict'],
    (side) => side.teardownAndDestroy(at('owned')),
  ],
];

export const errorScenarios: readonly Scenario[] = [
  [
    'what is refused is refused alike, and changes nothing',
    async ({ first, second, both }) => {
      await first.create({ ...at('there'), spec: { customer: 'stays' } });
      await second.create({ ...at('owned'), spec: {} }, 'someone');
      await first.create({ ...at('torn'), phase: 'tearingDown', finalizers: ['f'], spec: {} });
      const before = await second.list(orders);
      for (const side of both) {
        for (const [what, is, call] of refusals) {
          await assert.rejects(call(side), (error: SideError) => {
            assert.ok(error instanceof SideError, String(error));
            assert.deepEqual(error.is, is, `${what}, by ${side.name}: ${error.message}`);
            return true;
          });
        }
      }
      assert.deepEqual(await second.list(orders), before);
    },
  ],
];
