import { Metadata, type Pointer, Resource } from '@cosi-ts/resource';
import { check, equal, rejectsWith, sameResource } from '../assertions.js';
import { Items } from '../items.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

/** Names that something on the way may want to change. */
const kept: readonly string[] = [
  'a/b/c',
  '/leading and trailing/',
  '..',
  '.',
  '../../etc/passwd',
  'with spaces  and\ttabs',
  ' space around ',
  'line\nbreak\r\nand return',
  '\u0001\u001f\u007f\u0085',
  'UPPER lower',
  'percent%2Fescaped%00',
  'e\u0301 and \u00e9',
  '\ufeffbom',
  '\u202eright to left',
  '日本語',
  '\u{1f469}\u200d\u{1f680}',
  '\u{10ffff}\ufffd\uffff',
  '__proto__',
  'undefined',
  '*?[]{}()|\\^$',
  '"quoted" \'and\' `ticks`',
  'a,b;c=d&e#f:g@1',
];

const longest: readonly [what: string, name: string][] = [
  ['1024 letters', 'x'.repeat(1024)],
  ['256 characters of four bytes', '\u{1f600}'.repeat(256)],
];

const refused: readonly [what: string, name: string][] = [
  ['empty', ''],
  ['NUL', 'a\0b'],
  ['a lone high surrogate', 'a\ud800b'],
  ['a lone low surrogate', '\udc00'],
  ['surrogates in the wrong order', '\udc00\ud800'],
  ['1025 bytes', 'x'.repeat(1025)],
  ['342 characters of three bytes', '中'.repeat(342)],
];

const parts = ['namespace', 'type', 'id'] as const;

/** An item at any pointer. */
function itemAt(pointer: Pointer): Resource {
  return new Resource(new Metadata(pointer), Items.new('x', { value: 1 }).content);
}

function pointerWith(t: StateTest, part: (typeof parts)[number], name: string): Pointer {
  const { namespace, type, id } = t.at('plain');
  return { namespace, type, id, [part]: name };
}

async function survives(t: StateTest, pointer: Pointer): Promise<void> {
  const what = `the resource at ${JSON.stringify(pointer)}`;
  const kind = t.reader(await t.core.watchKind(pointer));
  const one = t.reader(await t.core.watch(pointer));
  await one.expect(`destroyed ${pointer.id}@-`);
  const created = await t.core.create(itemAt(pointer));
  const { namespace, type, id } = created.metadata;
  equal({ namespace, type, id }, pointer, `the pointer of ${what}`);
  sameResource(await t.core.get(pointer), created, what);
  const [listed] = await t.core.list(pointer);
  check(listed !== undefined, `${what} must be in its list`);
  sameResource(listed, created, `${what} in its list`);
  const updated = await t.core.update(created);
  await t.core.destroy(pointer);
  const texts = [`created ${id}@1`, `updated ${id}@2`, `destroyed ${id}@2`];
  for (const reader of [kind, one]) {
    const [, event] = await reader.expect(...texts);
    check(event?.type === 'updated', 'the second event must be an update');
    sameResource(event.resource, updated, `${what} in an event`);
  }
}

export function nameTests({ it, features }: StateSuite): void {
  const kinds = features.namespaces ? parts : (['type', 'id'] as const);
  for (const part of kinds) {
    it(`S17: any ${part} is kept exactly as it is`, async (t) => {
      for (const name of kept) await survives(t, pointerWith(t, part, name));
    });

    for (const [what, name] of longest) {
      it(`S17: a ${part} of ${what} is accepted`, async (t) => {
        await survives(t, pointerWith(t, part, name));
      });
    }
  }

  it('S17: ids that some would take for one are different', async (t) => {
    const alike = ['é', 'e\u0301', 'a', 'A', 'a ', ' a', 'a/', 'a/./', 'a%20', 'ａ'];
    for (const [i, id] of alike.entries()) await t.create(id, i);
    for (const [i, id] of alike.entries()) equal(t.valueOf(await t.core.get(t.at(id))), i, `the value of ${id}`);
  });

  it('S17: pointers whose parts run together alike are different', async (t) => {
    const { namespace } = t.kind;
    const alike = [
      { namespace, type: 'a/b', id: 'c' },
      { namespace, type: 'a', id: 'b/c' },
      { namespace, type: 'a', id: '/b/c' },
    ];
    for (const pointer of alike) await t.core.create(itemAt(pointer));
    for (const pointer of alike) equal((await t.core.list(pointer)).length >= 1, true, 'that its kind has resources');
    await t.core.destroy(alike[0] as Pointer);
    await t.core.get(alike[1] as Pointer);
    await t.core.get(alike[2] as Pointer);
  });

  if (!features.nameRules) return;
  for (const part of kinds) {
    for (const [what, name] of refused) {
      it(`S17: create refuses a ${part} that is ${what}, and names the field`, async (t) => {
        const pointer = pointerWith(t, part, name);
        const error = await rejectsWith(t.core.create(itemAt(pointer)), 'invalid-argument', 'create');
        check(error.message.includes(part), `"${error.message.slice(0, 80)}" must name the ${part}`);
      });
    }
  }

  it('S17: what create refuses is absent to the other operations, not refused', async (t) => {
    for (const name of ['x'.repeat(1025), 'a\0b']) {
      const pointer = pointerWith(t, 'id', name);
      await rejectsWith(t.core.get(pointer), 'not-found', 'get');
      await rejectsWith(t.core.destroy(pointer), 'not-found', 'destroy');
      await rejectsWith(t.core.update(itemAt(pointer)), 'not-found', 'update');
      equal(await t.core.list(pointerWith(t, 'type', name)), [], 'the list of the kind');
    }
  });
}
