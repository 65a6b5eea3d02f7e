import { graphToDot } from '@cosi-ts/runtime';
import { expect, it } from 'vitest';
import { drawGraph } from './graph-drawing.js';

it('marks controllers and resources, whatever their names', async () => {
  const type = 'Things.test.cosi.dev';
  const svg = await drawGraph(
    graphToDot({
      nodes: [
        { kind: 'controller', name: 'a "b" <c>' },
        { kind: 'resource', name: type },
      ],
      edges: [{ kind: 'weak', controller: 'a "b" <c>', type, namespace: 'ns', id: undefined }],
    }),
  );
  expect(svg).toMatch(/^<svg /);
  expect(svg).toMatch(/<g id="node1" class="node controller">\n<title>controller a &quot;b&quot; &lt;c&gt;<\/title>/);
  expect(svg).toMatch(/<g id="node2" class="node resource">\n<title>resource Things.test.cosi.dev<\/title>/);
});
