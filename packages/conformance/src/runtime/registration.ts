import { check, equal, rejection, rejectsWith } from '../assertions.js';
import { show } from '../show.js';
import { counting, ofInts, seenInts } from './controllers.js';
import { Ints, Sentences, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

/** Checks that a call throws, at once. */
function throws(call: () => unknown, what: string): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return check(false, `${what}: nothing was thrown`);
}

/** The code of an error, or the name of its class. */
function codeOf(error: unknown): unknown {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return code ?? name;
}

export function registrationTests({ it }: RuntimeSuite): void {
  it('C1: a second controller of a name is refused', async (t) => {
    const runtime = t.runtime();
    runtime.register(counting(t.lib).controller);
    const refused = throws(() => runtime.register(counting(t.lib).controller), 'the same name');
    equal(codeOf(refused), 'runtime/registration', 'the code of a second one');
    throws(() => runtime.register(ofInts(t.lib, () => undefined, { name: 'Counting' })), 'the same name for a queue');
  });

  it('C2: outputs are exclusive or shared by their type', async (t) => {
    const { exclusive, shared } = t.lib;
    const runtime = t.runtime();
    const writing = (name: string, ...outputs: ReturnType<typeof exclusive>[]) =>
      ofInts(t.lib, () => undefined, { name, outputs });
    runtime.register(writing('A', exclusive(Strings), shared(Sentences)));
    runtime.register(writing('B', shared(Sentences)));
    for (const [what, output] of [
      ['a second exclusive one', exclusive(Strings)],
      ['a shared one beside an exclusive one', shared(Strings)],
      ['an exclusive one beside shared ones', exclusive(Sentences)],
    ] as const) {
      equal(codeOf(throws(() => runtime.register(writing('C', output)), what)), 'runtime/registration', what);
    }
    throws(() => t.runtime().register(writing('D', shared(Strings), shared(Strings))), 'the same output twice');
  });

  it('C2: what is no output cannot be written', async (t) => {
    await t.put('a', 1);
    const refused = new Map<string, unknown>();
    t.run([
      ofInts(
        t.lib,
        async ({ id }, { state }) => {
          for (const [what, call] of [
            ['create', () => state.create(Sentences.new(id, { text: '' }))],
            ['modify', () => state.modify(Sentences.at(id), (draft) => void Object.assign(draft.spec, { text: '' }))],
            [
              'change an input',
              () => state.modify(Ints.at(id), (draft) => void Object.assign(draft.spec, { value: 9 })),
            ],
            ['destroy an input', () => state.destroy(Ints.at(id))],
          ] as const) {
            refused.set(what, await rejection(call(), what));
          }
        },
        { outputs: [t.lib.exclusive(Strings)] },
      ),
    ]);
    await t.until(
      () => refused.size === 4,
      () => `four calls were refused: ${show([...refused.keys()])}`,
    );
    for (const [what, error] of refused) equal(codeOf(error), 'runtime/undeclared', `the code of: ${what}`);
    const [message] = [...refused.values()].map((error) => (error as Error).message);
    check(
      message?.includes('OfInts') === true && message.includes(Sentences.type),
      `the message must name controller and resource: ${message}`,
    );
    equal(await t.specs(Sentences.kind), {}, 'what is there of a type that is no output');
    equal(await t.specs(Ints.kind), { a: { value: 1 } }, 'the inputs');
  });

  it('C3: what is neither input nor output cannot be read', async (t) => {
    await t.put('a', 1);
    const refused: unknown[] = [];
    t.run([
      ofInts(t.lib, async ({ id }, { state }) => {
        refused.push(
          await rejection(state.get(Strings.at(id)), 'get'),
          await rejection(state.list(Strings.kind), 'list'),
        );
      }),
    ]);
    await t.until(() => refused.length === 2, 'both calls were refused');
    equal(refused.map(codeOf), ['runtime/undeclared', 'runtime/undeclared'], 'the codes');
  });

  it('C3: an input of one resource gives that one only', async (t) => {
    await t.put('a', 1);
    await t.put('b', 1);
    const seen: unknown[] = [];
    const { controller } = counting(t.lib);
    const one = {
      ...controller,
      inputs: [t.lib.weak(Ints.at('a'))],
      async run({ events, state }: Parameters<typeof controller.run>[0]) {
        for await (const _ of events) {
          seen.push(
            (await state.get(Ints.at('a'))).spec.value,
            codeOf(await rejection(state.get(Ints.at('b')), 'get')),
          );
        }
      },
    };
    t.run([one]);
    await t.becomes(() => seen, [1, 'runtime/undeclared'], 'what was seen');
  });

  it('C3: finalizers can be changed on strong, primary and mapped inputs only', async (t) => {
    await t.put('a', 1);
    await t.state.create(Strings.new('a', { text: '' }));
    const done: unknown[] = [];
    t.run([
      {
        name: 'Plain',
        inputs: [t.lib.weak(Ints.kind), t.lib.strong(Strings.kind)],
        async run({ events, state }) {
          for await (const _ of events) {
            if (done.length > 0) continue;
            done.push(codeOf(await rejection(state.addFinalizer(Ints.at('a')), 'a weak input')));
            await state.addFinalizer(Strings.at('a'));
          }
        },
      },
      ofInts(
        t.lib,
        async ({ id }, { state }) => {
          await state.addFinalizer(Ints.at(id));
          await state.addFinalizer(Strings.at(id));
        },
        { inputs: [t.lib.primary({ ...Ints.kind }), t.lib.mapped(Strings.kind, t.lib.noItems)] },
      ),
    ]);
    const finalizers = async () => [
      (await t.state.get(Ints.at('a'))).metadata.finalizers,
      [...(await t.state.get(Strings.at('a'))).metadata.finalizers].sort(),
    ];
    await t.becomes(finalizers, [['OfInts'], ['OfInts', 'Plain']], 'the finalizers');
    equal(done, ['runtime/undeclared'], 'the code of adding a finalizer to a weak input');
  });

  it('C3, Q3: declarations that cannot be are refused', async (t) => {
    const { weak, strong, primary, mapped, sameId } = t.lib;
    const refused = (what: string, controller: Parameters<ReturnType<typeof t.runtime>['register']>[0]) =>
      throws(() => t.runtime().register(controller), what);
    const { controller } = counting(t.lib);
    refused('two inputs of one kind', { ...controller, inputs: [weak(Ints.kind), strong(Ints.kind)] });
    refused(
      'a queue controller without items',
      ofInts(t.lib, () => undefined, { inputs: [] }),
    );
    const ints = primary({ ...Ints.kind });
    refused(
      'a mapped input that nothing maps',
      ofInts(t.lib, () => undefined, { inputs: [ints, mapped(Strings.kind)] }),
    );
    const twice = [ints, mapped(Ints.kind, sameId(Ints.kind))];
    refused(
      'a kind that is primary and mapped',
      ofInts(t.lib, () => undefined, { inputs: twice }),
    );
    for (const concurrency of [0, -1, 1.5, Number.NaN]) {
      refused(
        `a concurrency of ${concurrency}`,
        ofInts(t.lib, () => undefined, { concurrency }),
      );
    }
  });

  it('C7: controllers can be registered while it runs, and not after the end', async (t) => {
    await t.put('a', 1);
    const run = t.run([]);
    const { controller, seen } = seenInts(t.lib);
    run.runtime.register(controller);
    await t.becomes(() => seen.get('a'), '1', 'what a controller saw that was registered late');
    await run.stop();
    equal(
      codeOf(throws(() => run.runtime.register(counting(t.lib).controller), 'after the end')),
      'closed',
      'the code',
    );
  });

  it('C7: it runs once', async (t) => {
    const run = t.run([counting(t.lib).controller]);
    await rejectsWith(t.within(run.runtime.run(), 'a second run'), 'closed', 'a second run');
    await run.stop();
    await rejectsWith(t.within(run.runtime.run(), 'a run after the end'), 'closed', 'a run after the end');
  });
}
