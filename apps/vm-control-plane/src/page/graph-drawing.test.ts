import { drawGraph } from '@cosi-ts/app-kit/graph-drawing';
import { graphToDot } from '@cosi-ts/runtime';
import { expect, it } from 'vitest';
import { PlaneFixture } from '../testing/plane-fixture.js';

/** For readers on a light or a dark ground. */
const style = `<title>Which controllers of the VM control plane read and write which resources</title>
<style>
.card{fill:#fff}
.node polygon,.node polyline{stroke:#8a93a8;fill:#fff}
.edge path{stroke:#8a93a8}
.edge polygon{stroke:#8a93a8;fill:#8a93a8}
.node.controller polygon{stroke:#4f46e5;fill:#eef0fe}
text{fill:#161b29}
.edge text{fill:#5a6478}
</style>
<rect class="card" width="100%" height="100%" rx="8"/>
`;

/** `npm run graph` here draws it anew. */
it('C11: the drawing of the dependency graph in the README is that of the controllers that run', async () => {
  await using fixture = await PlaneFixture.start();
  const svg = await drawGraph(graphToDot(fixture.plane.runtime.graph()));
  const standalone = svg.replace(/^<svg[^>]*>\n/, (head) => `${head}${style}`);
  expect(standalone).toContain('<title>controller VMController</title>');
  await expect(standalone).toMatchFileSnapshot('../../docs/graph.svg');
});
