import type { Viz } from '@viz-js/viz';

let loading: Promise<Viz> | undefined;

/** What draws has more than a megabyte: it is loaded when it is asked for first. */
async function loadViz(): Promise<Viz> {
  loading ??= import('@viz-js/viz').then(({ instance }) => instance());
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

const font = { fontname: 'sans-serif' };

/**
 * Draws the graph of a runtime, as its `/graph.dot` is, as an SVG element. Nodes have the class `controller` or
 * `resource`, and as their title that word and their name; colours are up to the style sheet.
 */
export async function drawGraph(dot: string): Promise<string> {
  const viz = await loadViz();
  const svg = viz.renderString(dot, {
    format: 'svg',
    graphAttributes: { bgcolor: 'transparent', nodesep: 0.3, ranksep: 0.5, pad: 0.15 },
    nodeAttributes: { ...font, fontsize: 12, height: 0.4, margin: '0.16,0.06' },
    edgeAttributes: { ...font, fontsize: 10, arrowsize: 0.7 },
  });
  return svg
    .slice(svg.indexOf('<svg'))
    .replaceAll(/class="node">\n<title>(controller|resource) /g, 'class="node $1">\n<title>$1 ');
}
