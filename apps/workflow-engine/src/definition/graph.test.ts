import { expect, it } from 'vitest';
import { definitionOf } from './definition-cache.js';
import { dotOf, graphOf } from './graph.js';

const definition = definitionOf(`
name: demo
steps:
  build: { run: make }
  lint: { run: make lint }
  each:
    needs: build
    when: steps.build.outputs.kind == "a"
    forEach: [1, 2]
    run: make test
  any:
    needs: { steps: [build, lint], join: any }
  fix:
    needs: [any]
    on: failure
    approve: Sure?
finally:
  clean: { run: make clean }
  tell: { needs: clean, http: https://example.org }
`);

it('is the steps and what they wait for', () => {
  const { nodes, edges, name } = graphOf(definition);
  expect(name).toBe('demo');
  expect(nodes.map(({ step, section, kind, executions }) => [step, section, kind, executions])).toEqual([
    ['build', 'steps', 'run', 'one'],
    ['lint', 'steps', 'run', 'one'],
    ['each', 'steps', 'run', 'items'],
    ['any', 'steps', 'none', 'one'],
    ['fix', 'steps', 'approve', 'one'],
    ['clean', 'finally', 'run', 'one'],
    ['tell', 'finally', 'http', 'one'],
  ]);
  expect(edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`)).toEqual([
    'build needs each',
    'build join any',
    'lint join any',
    'any needs fix',
    'clean needs tell',
    'each finally clean',
    'fix finally clean',
  ]);
});

it('is written for Graphviz', () => {
  expect(dotOf(graphOf(definition))).toBe(`digraph "demo" {
  rankdir=LR;
  node [shape=box, style=rounded, fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=10];
  "build" [label="build\\nrun"];
  "lint" [label="lint\\nrun"];
  "each" [label="each\\nrun, for each item\\nwhen steps.build.outputs.kind == \\"a\\"", peripheries=2];
  "any" [label="any\\nnone", shape=ellipse];
  "fix" [label="fix\\napprove", shape=octagon];
  subgraph cluster_finally {
    label="finally"; style=dashed;
    "clean" [label="clean\\nrun"];
    "tell" [label="tell\\nhttp"];
  }
  "build" -> "each";
  "build" -> "any" [label="any", style=dashed];
  "lint" -> "any" [label="any", style=dashed];
  "any" -> "fix" [xlabel="on failure"];
  "clean" -> "tell";
  "each" -> "clean" [style=dotted];
  "fix" -> "clean" [style=dotted];
}
`);
});
