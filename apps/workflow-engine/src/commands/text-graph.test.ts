import { describe, expect, it } from 'vitest';
import { graphOf } from '../definition/graph.js';
import { parseDefinition } from '../definition/parse-definition.js';
import { textGraph } from './text-graph.js';

function drawn(steps: string): string {
  const { definition, problems } = parseDefinition(`name: x\nsteps:\n${steps}`);
  if (definition === undefined) throw new Error(JSON.stringify(problems));
  return textGraph(graphOf(definition), { hasColors: false }).join('\n');
}

describe('the graph in lines', () => {
  it('has a lane from each step to those that need it', () => {
    const diamond =
      '  a: { run: x }\n  b: { needs: [a], run: x }\n  c: { needs: [a], run: x }\n  d: { needs: [b, c], run: x }';
    expect(drawn(diamond)).toBe(
      [
        '●  a  (run)', //
        '├─╮',
        '● │  b  (run)',
        '│ │',
        '│ ●  c  (run)',
        '│ │',
        '├─╯',
        '●  d  (run)',
      ].join('\n'),
    );
  });

  it('crosses lanes that lead elsewhere', () => {
    const crossing =
      '  a: { run: x }\n  b: { run: x }\n  c: { needs: [a], run: x }\n  d: { needs: [a, b], run: x }\n  e: { needs: [c, d], on: always, run: x }';
    const text = drawn(crossing);
    for (const step of ['a', 'b', 'c', 'd']) expect(text).toContain(`${step}  (run)`);
    expect(text).toContain('e  (run, on always)');
    expect(text.split('\n').filter((line) => line.includes('●'))).toHaveLength(5);
  });

  it('shows steps that have nothing to do with each other apart', () => {
    expect(drawn('  a: { run: x }\n  b: { run: x }')).toBe('●  a  (run)\n●  b  (run)');
  });
});
