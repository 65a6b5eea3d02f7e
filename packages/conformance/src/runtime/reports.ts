import type { RuntimeOptions } from '@cosi-ts/runtime';
import { check, equal } from '../assertions.js';
import { counting, ofInts, sentencesOfStrings, stringsOfInts, sumOf } from './controllers.js';
import { Ints, Sentences, Strings, Sums } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

type Meter = NonNullable<RuntimeOptions['meter']>;

/** Collects what a meter is told, whether at once or when it asks. */
class Collector {
  readonly #told = new Map<string, number>();
  readonly #asks = new Set<
    (result: { observe(of: { name: string }, value: number, attributes?: object): void }) => void
  >();
  readonly meter: Meter;

  constructor() {
    const adds = (name: string) => ({
      name,
      add: (value: number, attributes?: object) => this.#note(name, value, attributes, true),
      record: (value: number, attributes?: object) => this.#note(name, value, attributes, false),
    });
    const asked = (name: string) => ({
      name,
      addCallback: (ask: (result: { observe(value: number, attributes?: object): void }) => void) =>
        this.#asks.add(({ observe }) => ask({ observe: (value, attributes) => observe({ name }, value, attributes) })),
      removeCallback: () => undefined,
    });
    this.meter = {
      createCounter: adds,
      createUpDownCounter: adds,
      createHistogram: adds,
      createGauge: adds,
      createObservableCounter: asked,
      createObservableUpDownCounter: asked,
      createObservableGauge: asked,
      addBatchObservableCallback: (ask: never) => void this.#asks.add(ask),
      removeBatchObservableCallback: (ask: never) => void this.#asks.delete(ask),
    } as never;
  }

  collect(): ReadonlyMap<string, number> {
    const observe = ({ name }: { name: string }, value: number, attributes?: object) =>
      this.#note(name, value, attributes, false);
    for (const ask of this.#asks) ask({ observe });
    return this.#told;
  }

  #note(name: string, value: number, attributes: object = {}, isDelta: boolean): void {
    const key = [name, ...Object.values(attributes).map(String).sort()].join(' ');
    this.#told.set(key, value + (isDelta ? (this.#told.get(key) ?? 0) : 0));
  }
}

export function reportTests({ it }: RuntimeSuite): void {
  it('C12: controllers are measured', async (t) => {
    const collector = new Collector();
    let calls = 0;
    const queue = ofInts(
      t.lib,
      async ({ id }, { state }) => {
        await state.find(Ints.at(id));
        const call = ++calls;
        if (call === 1) throw new Error('no luck');
        if (call === 2) throw new t.lib.SkipError('not now');
        if (call === 3) return t.lib.requeueAfter(1);
      },
      { name: 'Queue', inputs: [t.lib.primary({ ...Ints.kind }), t.lib.mapped(Strings.kind, t.lib.sameId(Ints.kind))] },
    );
    await t.put('a', 1);
    const run = t.run([queue, sumOf(t.lib, 'Sum', Ints.kind, Sums.at('all'))], {
      meter: collector.meter,
      cached: [Sums.kind],
    });
    await t.becomes(() => calls, 2, 'the calls');
    await t.state.create(Strings.new('a', { text: '' }));
    await t.becomes(() => calls, 4, 'the calls');
    await t.becomes(() => run.runtime.report().caches[0]?.resources, 1, 'the cached resources');
    await t.eventually(() => {
      const values = collector.collect();
      for (const [name, expected] of [
        ['cosi.controller.processed Queue', 4],
        ['cosi.controller.crashes Queue', 1],
        ['cosi.controller.skips Queue', 1],
        ['cosi.controller.requeues Queue', 1],
        ['cosi.controller.mapped_in Queue', 1],
        ['cosi.controller.mapped_out Queue', 1],
        ['cosi.controller.reads Queue', 4],
        ['cosi.controller.crashes Sum', 0],
        [`cosi.runtime.cached_resources ${[Sums.kind.namespace, Sums.type].sort().join(' ')}`, 1],
      ] as const) {
        equal(values.get(name), expected, name);
      }
      check((values.get('cosi.controller.wakeups Sum') ?? 0) >= 1, 'the wakeups of a controller must be counted');
      check((values.get('cosi.controller.writes Sum') ?? 0) >= 1, 'the writes of a controller must be counted');
      check(values.has('cosi.controller.reconcile.busy Queue'), 'the busy time of a queue must be measured');
      check(values.has('cosi.controller.map.busy Queue'), 'the busy time of mapping must be measured');
      const lengths = [...values.keys()].filter((key) => key.startsWith('cosi.controller.queue.length '));
      check(
        lengths.some((key) => key.includes('Queue')),
        'the length of the queue must be measured',
      );
    });
  });

  it('C11: the graph tells who reads and writes what, whatever the order of registration', async (t) => {
    const controllers = [
      stringsOfInts(t.lib),
      sentencesOfStrings(t.lib),
      sumOf(t.lib, 'Sum', Ints.kind, Sums.at('all')),
      counting(t.lib, undefined, { inputs: [t.lib.weak(Sentences.at('one'))] }).controller,
    ];
    const graphs = [controllers, controllers.toReversed()].map((order) => {
      const runtime = t.runtime();
      for (const controller of order) runtime.register(controller);
      return runtime.graph();
    });
    const [graph, other] = graphs;
    if (graph === undefined || other === undefined) return;
    equal(t.lib.graphToDot(graph), t.lib.graphToDot(other), 'the graph as DOT');
    equal(t.lib.graphToJson(graph), t.lib.graphToJson(other), 'the graph as JSON');
    const edges = graph.edges.map(({ kind, controller, type, id }) => [kind, controller, type, id ?? ''].join(' '));
    for (const edge of [
      `exclusive StringsOfInts ${Strings.type} `,
      `strong StringsOfInts ${Ints.type} `,
      `destroy-ready StringsOfInts ${Strings.type} `,
      `primary SentencesOfStrings ${Strings.type} `,
      `mapped-destroy-ready SentencesOfStrings ${Sentences.type} `,
      `shared Sum ${Sums.type} `,
      `weak Counting ${Sentences.type} one`,
    ]) {
      check(edges.includes(edge), `the graph must have the edge: ${edge}`);
    }
    equal(edges.length, 9, 'the number of edges');
  });

  it('W16: all parts are live when all is well, and tell of their last activity', async (t) => {
    const run = t.run([stringsOfInts(t.lib), sentencesOfStrings(t.lib)], { cached: [Ints.kind] });
    await t.put('a', 1);
    await t.until(() => t.exists(Sentences.at('a')), 'there is a sentence');
    await t.becomes(() => run.runtime.report().health.status, 'live', 'the health of all');
    const { parts } = run.runtime.report().health;
    const count = (part: string) => parts.filter((each) => each.part === part).length;
    equal([count('watch'), count('cache'), count('controller')], [3, 1, 2], 'watches, caches, controllers');
    for (const { name, idleMs } of parts)
      check(idleMs !== undefined && idleMs >= 0, `${name} must tell how long it was idle`);
  });
}
