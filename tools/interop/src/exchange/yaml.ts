import assert from 'node:assert/strict';
import { invoices, seenAlike } from './resources.js';
import type { GivenResource, PlainResource } from './side.js';
import type { Scenario } from './stage.js';

/**
 * Resources whose YAML is the same on both sides. Go prints messages field by field as they are in memory: times, bytes,
 * absent messages and JSON-like documents look otherwise there.
 */
const printable: readonly GivenResource[] = [
  { ...invoices, id: 'plain', spec: { customer: 'someone', amount: 12 } },
  {
    ...invoices,
    id: 'y',
    labels: { a: 'true', b: '1e3', c: '0x10', d: 'null', e: '~', f: '', 'g/h': ' space ' },
    annotations: { text: 'one: two # three', quoted: 'it\'s "so"', break: 'line one\nline two\n' },
    finalizers: ['second', 'first', '- dash'],
    spec: { customer: '123', amount: -7 },
  },
  { namespace: 'meta', type: 'Namespaces.meta.cosi.dev', id: 'shop', spec: { description: 'yes: # no' } },
];

/** YAML has whole seconds; specs are compared by their bytes. */
function readBack(resource: PlainResource): unknown {
  const { created, updated, spec: _, ...rest } = seenAlike(resource) as PlainResource;
  return { ...rest, created: created.replace(/\.\d+/, ''), updated: updated.replace(/\.\d+/, '') };
}

export const yamlScenarios: readonly Scenario[] = printable.flatMap((given): readonly Scenario[] => [
  [
    `both print ${given.type} ${given.id} as the same YAML`,
    async ({ first, second }) => {
      await first.create(given);
      const [byFirst, bySecond] = [await first.get(given), await second.get(given)];
      assert.notEqual(byFirst.yaml, '');
      assert.equal(byFirst.yaml, bySecond.yaml);
    },
  ],
  [
    `what one prints of ${given.type} ${given.id} is read by the other`,
    async ({ first, second }) => {
      await first.create(given);
      const printed = await first.get(given);
      const read = await second.parse(printed.yaml);
      assert.deepEqual(readBack(read), readBack(printed));
      assert.equal(read.bytes, printed.bytes);
    },
  ],
]);
