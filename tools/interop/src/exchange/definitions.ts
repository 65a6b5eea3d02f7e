import assert from 'node:assert/strict';
import { documents, gauges, invoices, orders, seenAlike } from './resources.js';
import type { PlainResource } from './side.js';
import type { Scenario } from './stage.js';

const definitions = { namespace: 'meta', type: 'ResourceDefinitions.meta.cosi.dev' } as const;
const namespaces = { namespace: 'meta', type: 'Namespaces.meta.cosi.dev' } as const;

/** What is the same in a resource whoever made it. */
function content({ id, owner, bytes, yaml }: PlainResource): unknown {
  return { id, owner, bytes, spec: yaml.slice(yaml.indexOf('\nspec:')) };
}

export const definitionScenarios: readonly Scenario[] = [
  [
    'a type is registered by one side, and the other would register the same',
    async ({ both, first, second }) => {
      for (const { type } of [orders, invoices, documents, gauges]) {
        const pointer = { ...definitions, id: type.toLowerCase() };
        await first.registerType(type);
        const registered = await Promise.all(both.map((side) => side.get(pointer)));
        assert.deepEqual(...(registered.map(content) as [unknown, unknown]));
        const [{ bytes }] = registered as [PlainResource];
        await second.destroy(pointer, 'meta');
        await second.registerType(type);
        assert.equal((await first.get(pointer)).bytes, bytes);
      }
    },
  ],
  [
    'a definition says what was declared',
    async ({ first, second }) => {
      await first.registerType(orders.type);
      const { yaml } = await second.get({ ...definitions, id: orders.type.toLowerCase() });
      for (const line of [
        'type: Orders.interop.cosi.dev',
        'displayType: Order',
        'defaultNamespace: shop',
        '- purchase',
        "jsonPath: '{.customer}'",
        'sensitivity: sensitive',
      ]) {
        assert.ok(yaml.includes(line), `${line} in\n${yaml}`);
      }
    },
  ],
  [
    'a namespace is registered by one side and read by the other',
    async ({ both, first, second }) => {
      await first.registerNamespace('shop', 'where orders are');
      const pointer = { ...namespaces, id: 'shop' };
      const [byGo, byUs] = await Promise.all(both.map((side) => side.get(pointer)));
      assert.deepEqual(content(byGo as PlainResource), content(byUs as PlainResource));
      assert.deepEqual([byUs?.owner, byUs?.bytes], ['meta', Buffer.from('\n\x10where orders are').toString('base64')]);
      await second.destroy(pointer, 'meta');
      await second.registerNamespace('shop', 'where orders are');
      const again = await first.get(pointer);
      assert.equal(again.bytes, byUs?.bytes);
      assert.notDeepEqual(seenAlike(again), seenAlike(byUs as PlainResource), 'it is another life');
    },
  ],
];
