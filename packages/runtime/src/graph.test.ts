import { describe, expect, it } from 'vitest';
import type { Controller } from './controller.js';
import { graphToDot, graphToJson } from './graph.js';
import { destroyReady, mapped, primary, strong, weak } from './inputs.js';
import { exclusive, shared } from './outputs.js';
import type { QueueController } from './queue-controller.js';
import { harness } from './testdata/harness.js';
import { Cubes, Factors, Numbers, Squares } from './testdata/kinds.js';

const squarer: QueueController = {
  name: 'Squarer',
  inputs: [primary(Numbers.kind), mapped(Factors.at('one'))],
  outputs: [exclusive(Squares), shared(Cubes)],
  mapInput: () => [],
  reconcile: () => undefined,
};
const summer: Controller = {
  name: 'A "summer"',
  inputs: [weak(Squares.kind), strong(Numbers.kind), destroyReady(Cubes.kind)],
  outputs: [shared(Cubes)],
  run: async () => undefined,
};

describe('the dependency graph', () => {
  it('C11: has controllers, types, and an edge for each input and output', () => {
    const { runtime } = harness([squarer, summer]);
    const { nodes, edges } = runtime.graph();
    expect(nodes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'controller A "summer"',
      'controller Squarer',
      `resource ${Cubes.type}`,
      `resource ${Factors.type}`,
      `resource ${Numbers.type}`,
      `resource ${Squares.type}`,
    ]);
    expect(edges.map(({ kind, controller, type, id }) => [kind, controller, type, id])).toEqual([
      ['shared', 'A "summer"', Cubes.type, undefined],
      ['shared', 'Squarer', Cubes.type, undefined],
      ['exclusive', 'Squarer', Squares.type, undefined],
      ['destroy-ready', 'A "summer"', Cubes.type, undefined],
      ['mapped', 'Squarer', Factors.type, 'one'],
      ['strong', 'A "summer"', Numbers.type, undefined],
      ['primary', 'Squarer', Numbers.type, undefined],
      ['weak', 'A "summer"', Squares.type, undefined],
    ]);
  });

  it('C11: prints the same whatever the order of registration', () => {
    const [a, b] = [harness([squarer, summer]).runtime.graph(), harness([summer, squarer]).runtime.graph()];
    expect(graphToDot(a)).toBe(graphToDot(b));
    expect(graphToJson(a)).toBe(graphToJson(b));
    expect(JSON.parse(graphToJson(a))).toEqual(JSON.parse(JSON.stringify(a)));
    expect(graphToDot(a)).toContain('"controller A \\"summer\\"" [label="A \\"summer\\"", shape=box];');
    expect(graphToDot(a)).toContain(
      `"resource ${Factors.type}" -> "controller Squarer" [label="mapped one", style=dashed];`,
    );
  });

  it('C11: follows inputs that are replaced, and controllers that are added', async () => {
    const { runtime } = harness([squarer]);
    const handle = runtime.register(summer);
    await handle.replaceInputs([weak(Factors.kind)]);
    const inputs = runtime
      .graph()
      .edges.filter(({ controller, kind }) => controller === summer.name && kind !== 'shared');
    expect(inputs).toMatchObject([{ kind: 'weak', type: Factors.type, namespace: 'test' }]);
  });
});
