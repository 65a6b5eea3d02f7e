import { check, equal } from '../assertions.js';
import { counting, seenInts } from './controllers.js';
import { Gate } from './gate.js';
import { Ints, Strings, Sums } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

export function eventTests({ it }: RuntimeSuite): void {
  it('C4: the first event comes at the start, with nothing there', async (t) => {
    const { count, controller } = counting(t.lib);
    t.run([controller]);
    await t.becomes(() => count.events, 1, 'the events');
  });

  it('C4: any number of changes during the work become one event', async (t) => {
    const gate = new Gate();
    const { count, controller } = counting(t.lib, (event) => (event === 2 ? gate.opened : undefined));
    // Registered after it, and so told of every change after it.
    const witness = seenInts(t.lib);
    t.run([controller, witness.controller]);
    await t.becomes(() => count.events, 1, 'the events at the start');
    await t.put('first', 0);
    await t.becomes(() => count.events, 2, 'the events after a change');
    const ids = await t.putMany('i', 50);
    await t.until(() => ids.every((id) => witness.seen.has(id)), 'all changes have come');
    equal(count.events, 2, 'the events during the work');
    gate.open();
    await t.becomes(() => count.events, 3, 'the events after the work');
    await t.put('last', 0);
    await t.becomes(() => count.events, 4, 'the events after one more change');
  });

  it('C4: a change during the work is not lost', async (t) => {
    const gate = new Gate();
    const seen: string[] = [];
    const { controller } = counting(t.lib);
    t.run([
      {
        ...controller,
        async run({ events, state }) {
          for await (const _ of events) {
            for (const { metadata } of await state.list(Ints.kind))
              if (!seen.includes(metadata.id)) seen.push(metadata.id);
            if (seen.length === 1) await gate.opened;
          }
        },
      },
    ]);
    await t.put('a', 1);
    await t.becomes(() => seen, ['a'], 'what the controller saw');
    await t.put('b', 1);
    gate.open();
    await t.becomes(() => seen, ['a', 'b'], 'what the controller saw');
  });

  it('C4: a destroy-ready input wakes for what is torn down and free', async (t) => {
    const { count, controller } = counting(t.lib, undefined, { inputs: [t.lib.destroyReady(Ints.kind)] });
    const witness = seenInts(t.lib);
    const torn = new Set<string>();
    const tornDown = { ...seenInts(t.lib, 'TornDown').controller };
    tornDown.reconcile = async ({ id }, { state }) => {
      const int = await state.find(Ints.at(id));
      if (int?.metadata.phase === 'tearingDown') torn.add(`${id}: ${int.metadata.finalizers.length}`);
    };
    t.run([controller, witness.controller, tornDown]);
    await t.becomes(() => count.events, 1, 'the events at the start');
    await t.put('a', 1);
    await t.state.addFinalizer(Ints.at('a'), 'holder');
    await t.put('a', 2);
    await t.state.teardown(Ints.at('a'));
    await t.until(() => torn.has('a: 1'), 'the teardown has come');
    equal(count.events, 1, 'the events while it is held');
    await t.state.removeFinalizer(Ints.at('a'), 'holder');
    await t.becomes(() => count.events, 2, 'the events once it is free');
  });

  it('C6: it can wake itself, now and later, and be woken from outside', async (t) => {
    let again: (delayMs?: number) => void = () => undefined;
    const { count, controller } = counting(t.lib);
    const run = t.run([
      {
        ...controller,
        async run(context) {
          again = context.queueReconcile;
          await controller.run(context);
        },
      },
    ]);
    await t.becomes(() => count.events, 1, 'the events at the start');
    again();
    await t.becomes(() => count.events, 2, 'the events after it asked for one');
    again(5);
    await t.becomes(() => count.events, 3, 'the events after it asked for one later');
    check(run.runtime.queueReconcile('Counting'), 'waking a controller that runs must give true');
    await t.becomes(() => count.events, 4, 'the events after it was woken');
  });

  it('C6: tracking that goes on cannot be begun, and a run that fails drops it', async (t) => {
    const thrown: unknown[] = [];
    let runs = 0;
    t.run([
      {
        name: 'Tracker',
        inputs: [t.lib.weak(Ints.kind)],
        outputs: [t.lib.exclusive(Sums)],
        async run({ events, state, startTrackingOutputs, cleanupOutputs }) {
          runs++;
          for await (const _ of events) {
            startTrackingOutputs();
            try {
              startTrackingOutputs();
            } catch (error) {
              thrown.push(error);
            }
            await state.modify(Sums.at(`run-${runs}`), (draft) => {
              draft.spec.value = runs;
            });
            if (runs === 1) throw new Error('it fails in between');
            await state.modify(Sums.at('kept'), (draft) => {
              draft.spec.value = 0;
            });
            await cleanupOutputs(Sums.kind);
          }
        },
      },
    ]);
    await t.specsBecome(Sums.kind, { kept: { value: 0 }, 'run-2': { value: 2 } }, 'the outputs after the second run');
    check(thrown.length > 0 && thrown.every((error) => error instanceof Error), 'beginning twice must throw');
  });

  it('C3: inputs can be replaced, and no change of a new one is missed', async (t) => {
    let replace: (kind: typeof Strings.kind | typeof Ints.kind) => Promise<void> = async () => undefined;
    const { count, controller } = counting(t.lib);
    const seen: number[] = [];
    t.run([
      {
        ...controller,
        async run({ events, state, replaceInputs }) {
          replace = (kind) => replaceInputs([t.lib.weak(kind)]);
          let isOther = false;
          for await (const _ of events) {
            count.events++;
            isOther ||= await state.list(Strings.kind).then(
              () => true,
              () => false,
            );
            if (isOther) seen.push((await state.list(Strings.kind)).length);
          }
        },
      },
    ]);
    await t.becomes(() => count.events, 1, 'the events at the start');
    await t.within(replace(Strings.kind), 'the inputs to be replaced');
    await t.state.create(Strings.new('a', { text: '' }));
    await t.until(
      () => seen.at(-1) === 1,
      () => `the change of the new input was seen: ${seen}`,
    );
  });
}
