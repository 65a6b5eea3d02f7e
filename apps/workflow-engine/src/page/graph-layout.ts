import type { GraphEdge } from '../definition/graph.js';

export interface LayoutSizes {
  readonly width: number;
  readonly height: number;
  /** Between nodes that are one beside the other, and one below the other. */
  readonly gapX: number;
  readonly gapY: number;
}

export interface PlacedNode {
  readonly step: string;
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge extends GraphEdge {
  /** The `d` of an SVG path. */
  readonly path: string;
}

export interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

/** A node, or a place where an edge passes a layer that it does not end in. */
interface Slot {
  readonly layer: number;
  readonly height: number;
  readonly before: Slot[];
  readonly after: Slot[];
  y: number;
}

const passHeight = 6;
const sweeps = 8;

/**
 * Places the steps of a workflow in layers from the left to the right: each is to the right of all that it needs, as
 * near as it can be, and the lines between them cross seldom. The method is that of Sugiyama, Tagawa and Toda (1981), with
 * the order within a layer by the mean of the neighbours.
 *
 * @param steps in the order in which they are placed where nothing else tells one
 * @param edges without cycles
 */
export function layOut(steps: readonly string[], edges: readonly GraphEdge[], sizes: LayoutSizes): GraphLayout {
  const layerOf = layersOf(steps, edges);
  const layers: Slot[][] = Array.from({ length: Math.max(0, ...layerOf.values()) + 1 }, () => []);
  const add = (layer: number, height: number): Slot => {
    const slot = { layer, height, before: [], after: [], y: 0 };
    layers[layer]?.push(slot);
    return slot;
  };
  const slots = new Map(steps.map((step) => [step, add(layerOf.get(step) ?? 0, sizes.height)]));
  const chains = edges.flatMap((edge) => {
    const [from, to] = [slots.get(edge.from), slots.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    const passes = Array.from({ length: to.layer - from.layer - 1 }, (_, i) => add(from.layer + 1 + i, passHeight));
    const chain = [from, ...passes, to];
    for (const [i, slot] of chain.entries()) {
      const next = chain[i + 1];
      if (next === undefined) continue;
      slot.after.push(next);
      next.before.push(slot);
    }
    return [{ edge, chain }];
  });

  for (const layer of layers) stack(layer, sizes.gapY, () => undefined);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    for (const layer of isForward ? layers : layers.toReversed()) {
      const wanted = new Map(layer.map((slot) => [slot, meanOf(isForward ? slot.before : slot.after)]));
      layer.sort((a, b) => (wanted.get(a) ?? middle(a)) - (wanted.get(b) ?? middle(b)));
      stack(layer, sizes.gapY, (slot) => wanted.get(slot));
    }
  }
  const all = layers.flat();
  const top = all.reduce((least, { y }) => Math.min(least, y), Number.POSITIVE_INFINITY);
  for (const slot of all) slot.y -= top;

  const stride = sizes.width + sizes.gapX;
  return {
    nodes: Array.from(slots, ([step, { layer, y }]) => ({ step, x: layer * stride, y })),
    edges: chains.map(({ edge, chain }) => ({ ...edge, path: pathOf(chain, sizes.width, stride) })),
    width: layers.length * stride - sizes.gapX,
    height: all.reduce((most, { y, height }) => Math.max(most, y + height), 0),
  };
}

/** The length of the longest way to each step. */
function layersOf(steps: readonly string[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const needs = new Map<string, string[]>();
  for (const { from, to } of edges) needs.set(to, [...(needs.get(to) ?? []), from]);
  const layers = new Map<string, number>();
  const layerOf = (step: string): number => {
    const known = layers.get(step);
    if (known !== undefined) return known;
    const layer = Math.max(0, ...(needs.get(step) ?? []).map((each) => layerOf(each) + 1));
    layers.set(step, layer);
    return layer;
  };
  for (const step of steps) layerOf(step);
  return layers;
}

const middle = ({ y, height }: Slot) => y + height / 2;

function meanOf(slots: readonly Slot[]): number | undefined {
  if (slots.length === 0) return undefined;
  return slots.reduce((sum, slot) => sum + middle(slot), 0) / slots.length;
}

/** Gives the slots of a layer, in their order, places that are near to where their middles are wanted. */
function stack(layer: readonly Slot[], gap: number, wanted: (slot: Slot) => number | undefined): void {
  let free = Number.NEGATIVE_INFINITY;
  let missed = 0;
  for (const slot of layer) {
    const place = (wanted(slot) ?? middle(slot)) - slot.height / 2;
    slot.y = Math.max(place, free);
    missed += slot.y - place;
    free = slot.y + slot.height + gap;
  }
  const back = layer.length === 0 ? 0 : missed / layer.length;
  for (const slot of layer) slot.y -= back;
}

function pathOf(chain: readonly Slot[], width: number, stride: number): string {
  const [first, ...rest] = chain;
  if (first === undefined) return '';
  let [x, y] = [first.layer * stride + width, middle(first)];
  let path = `M${round(x)} ${round(y)}`;
  for (const slot of rest) {
    const [nextX, nextY] = [slot.layer * stride, middle(slot)];
    const bend = (x + nextX) / 2;
    path += `C${round(bend)} ${round(y)} ${round(bend)} ${round(nextY)} ${round(nextX)} ${round(nextY)}`;
    [x, y] = [nextX + width, nextY];
    if (slot !== chain.at(-1)) path += `H${round(x)}`;
  }
  return path;
}

const round = (value: number) => Math.round(value * 10) / 10;
