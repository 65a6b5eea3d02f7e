import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOut } from './graph-layout.js';

const sizes = { width: 100, height: 40, gapX: 60, gapY: 20 };
const needs = (from: string, to: string) => ({ from, to, kind: 'needs' as const });

describe('the layout of a graph', () => {
  it('is empty for no steps', () => {
    expect(layOut([], [], sizes)).toMatchObject({ nodes: [], edges: [], height: 0 });
  });

  it('puts a step in the middle beside those that it needs', () => {
    const { nodes, edges, width, height } = layOut(['a', 'b', 'c'], [needs('a', 'c'), needs('b', 'c')], sizes);
    expect(nodes).toEqual([
      { step: 'a', x: 0, y: 0 },
      { step: 'b', x: 0, y: 60 },
      { step: 'c', x: 160, y: 30 },
    ]);
    expect(edges.map(({ path }) => path)).toEqual(['M100 20C130 20 130 50 160 50', 'M100 80C130 80 130 50 160 50']);
    expect([width, height]).toEqual([260, 100]);
  });

  it('leads a line past the steps between its ends', () => {
    const { nodes, edges } = layOut(['a', 'b', 'c'], [needs('a', 'b'), needs('b', 'c'), needs('a', 'c')], sizes);
    const y = nodes.find(({ step }) => step === 'b')?.y ?? Number.NaN;
    const passed = Number(/ ([\d.]+)H260/.exec(edges[2]?.path ?? '')?.[1]);
    expect(passed < y || passed > y + sizes.height).toBe(true);
  });

  it('has every step to the right of what it needs, and none on another', () => {
    const graphs = fc
      .integer({ min: 1, max: 14 })
      .chain((count) =>
        fc
          .array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 24 })
          .map((pairs) => ({ count, edges: pairs.filter(([from, to]) => from < to) })),
      );
    fc.assert(
      fc.property(graphs, ({ count, edges }) => {
        const steps = Array.from({ length: count }, (_, i) => `s${i}`);
        const { nodes, width, height } = layOut(
          steps,
          edges.map(([from, to]) => needs(`s${from}`, `s${to}`)),
          sizes,
        );
        const at = new Map(nodes.map((node) => [node.step, node]));
        for (const [from, to] of edges) expect(at.get(`s${from}`)?.x).toBeLessThan(at.get(`s${to}`)?.x ?? 0);
        for (const a of nodes) {
          expect(a.x + sizes.width).toBeLessThanOrEqual(width);
          expect(a.y).toBeGreaterThanOrEqual(-1e-6);
          expect(a.y + sizes.height).toBeLessThanOrEqual(height + 1e-6);
          for (const b of nodes) {
            if (a !== b && a.x === b.x) expect(Math.abs(a.y - b.y)).toBeGreaterThanOrEqual(sizes.height);
          }
        }
      }),
    );
  });
});
