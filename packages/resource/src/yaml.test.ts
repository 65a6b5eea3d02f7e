import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInvalidArgument } from './error-guards.js';
import { maxJsonDepth } from './frozen-data.js';
import { checkedJsonSpec } from './json-spec.js';
import { Metadata } from './metadata.js';
import { Resource } from './resource.js';
import { defineResource } from './resource-type.js';
import { invalidSpec } from './spec-path.js';
import { Timestamp } from './timestamp.js';
import { tombstone } from './tombstone.js';
import { createTypeRegistry } from './type-registry.js';
import { parseYaml, toYaml } from './yaml.js';
import { YamlContent } from './yaml-content.js';
import { YamlError } from './yaml-error.js';

const Plain = defineResource({ type: 'Plains.test', namespace: 'default' });
const Machine = defineResource({
  type: 'Machines.test',
  namespace: 'vms',
  spec: checkedJsonSpec<{ disks: { size: number }[] }>((input) => {
    const { disks } = input as { disks: { size: number }[] };
    for (const [i, disk] of disks.entries()) {
      if (typeof disk.size !== 'number') throw invalidSpec(['disks', i, 'size'], 'must be a number');
    }
    return { disks };
  }),
});
const registry = createTypeRegistry([Plain, Machine]);

const plain = (spec: string) => `metadata: {type: Plains.test, id: x}\nspec:\n${spec}`;
const stranger = (spec: string) => `metadata: {namespace: ns, type: Strangers.test, id: x}\nspec:${spec}`;

function specOf(text: string): unknown {
  const [document] = parseYaml(text, registry);
  return Plain.from(document?.resource as Resource).spec;
}

function keptOf(text: string): string | undefined {
  return parseYaml(text, registry, { unknownTypes: 'keep' })[0]?.resource.content.yaml;
}

function failure(text: string, options?: Parameters<typeof parseYaml>[2]): YamlError {
  try {
    parseYaml(text, registry, options);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error('it was read');
}

const where = ({ document, line, column }: YamlError) => `${document}:${line}:${column}`;

describe('the YAML of resources', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...' \t\n\r:#-?,[]{}&*!|>\'"%@`~ab01\u0085\u00a0\u2028\ufeff'), maxLength: 6 }),
    fc.constantFrom(
      'true',
      'null',
      '0x10',
      '1e3',
      '...',
      '---',
      '<<',
      '__proto__',
      'constructor',
      'a\n\n',
      '\n a',
      '  a\nb',
    ),
  );
  const map = fc.dictionary(text, text, { maxKeys: 5 });
  const time = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }).map((seconds) => new Timestamp(seconds, 0));

  it('R15: any resource is read back as it was', () => {
    const metadata = fc.record({
      namespace: text,
      id: text,
      version: fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { nil: undefined }),
      owner: text,
      phase: fc.constantFrom('running' as const, 'tearingDown' as const),
      created: time,
      updated: time,
      labels: map,
      annotations: map,
      finalizers: fc.array(text),
    });
    const spec = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(metadata, spec, (init, data) => {
        const made = Plain.new('x', data as Record<string, unknown>);
        const resource = made.withMetadata(new Metadata({ ...init, type: Plain.type }));
        const documents = parseYaml(toYaml(resource), registry);
        expect(documents).toHaveLength(1);
        const read = documents[0]?.resource as Resource;
        expect(read.metadata).toEqual(resource.metadata);
        expect(read.equals(resource)).toBe(true);
        expect(toYaml(read)).toBe(toYaml(resource));
      }),
      { numRuns: 50 },
    );
  });

  it('R15: any spec of a type that is not known is kept and printed as it was', () => {
    fc.assert(
      fc.property(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })), (data) => {
        const yaml = toYaml(Plain.new('x', data)).replace('type: Plains.test', 'type: Strangers.test');
        const [document] = parseYaml(yaml, registry, { unknownTypes: 'keep' });
        expect(toYaml(document?.resource as Resource)).toBe(yaml);
        const known = defineResource({ type: 'Strangers.test', namespace: 'default' });
        expect(known.from(document?.resource as Resource).spec).toEqual(Plain.new('x', data).spec);
      }),
    );
  });

  it('R15: labels with keys that look like indices keep the order of UTF-8', () => {
    const made = Plain.new('x', {}, { labels: { '9': '', '10': '', a: '', A: '' } });
    expect(toYaml(made)).toContain('    labels:\n        10:\n        9:\n        A:\n        a:\n');
  });

  it('R15: times have whole seconds', () => {
    const created = new Timestamp(-1, 999_999_999);
    const printed = toYaml(
      Plain.new('x', {}).withMetadata(new Metadata({ namespace: '', type: Plain.type, id: 'x', created })),
    );
    expect(printed).toContain('created: 1969-12-31T23:59:59Z\n');
  });

  it('R15: a stream has one resource a document, with where it begins', () => {
    const stream = `# first\n${plain('  a: 1\n')}---\n# nothing\n---\n${plain('  b: 2\n')}...\n`;
    const documents = parseYaml(stream, registry);
    expect(documents.map(({ document, line, column }) => [document, line, column])).toEqual([
      [1, 2, 1],
      [3, 8, 1],
    ]);
    expect(Object.keys(documents[0] ?? {})).toEqual(['resource', 'document', 'line', 'column']);
  });

  it('R15: nothing is read from a stream with a fault', () => {
    expect(where(failure(`${plain('  a: 1\n')}---\n${plain('  a: 1\n  b: [\n')}`))).toBe('2:9:1');
    expect(where(failure(`${plain('  a: 1\n')}---\n- a\n`))).toBe('2:5:1');
  });

  it('R15: a fault in a spec is reported where it is', () => {
    const error = failure('metadata: {type: Machines.test, id: x}\nspec:\n  disks:\n    - size: 1\n    - size: two\n');
    expect(where(error)).toBe('1:5:13');
    expect(error.path).toEqual(['disks', 1, 'size']);
    expect(error.reason).toBe('spec.disks[1].size: must be a number');
    expect(where(failure('metadata: {type: Machines.test, id: x}\nspec:\n  disks:\n    - {}\n'))).toBe('1:4:7');
  });

  it.each([
    ['metadata twice', 'metadata: {}\nmetadata: {}\nspec: {}\n', '1:2:1'],
    ['no spec', 'metadata: {type: a, id: b}\n', '1:1:1'],
    ['a key that is a list', 'metadata: {}\n? [a]\n: b\n', '1:2:3'],
    [
      'a label that is a mapping in flow style',
      'metadata: {type: a, id: b, labels: {c: {d: e}}}\nspec: {}\n',
      '1:1:40',
    ],
    ['a list for metadata', 'metadata: []\nspec: {}\n', '1:1:11'],
    ['nothing for metadata', 'metadata:\nspec: {}\n', '1:1:10'],
    ['a finalizer that is a list', 'metadata: {type: a, id: b, finalizers: [[c]]}\nspec: {}\n', '1:1:41'],
    ['an alias for the spec', 'metadata: &m {type: Plains.test, id: b}\nspec: *m\n', '1:2:7'],
    ['two nodes in a document', '{}\n{}\n', '1:2:1'],
    ['an alias for a document', '*a\n', '1:1:1'],
    ['a time that is none', 'metadata: {type: a, id: b, updated: 2024-02-30T00:00:00Z}\nspec: {}\n', '1:1:37'],
  ])('R15: %s is refused', (_, yaml, place) => {
    expect(where(failure(yaml))).toBe(place);
  });

  it('R15: a type that is not known is refused, or kept when asked for', () => {
    const yaml = stranger('\n  a: 1\n');
    expect(failure(yaml).reason).toBe('the resource type "Strangers.test" is not known');
    expect(where(failure(yaml))).toBe('1:1:33');
    const [document] = parseYaml(yaml, registry, { unknownTypes: 'keep' });
    expect(document?.resource.metadata).toMatchObject({ namespace: 'ns', type: 'Strangers.test', id: 'x' });
    expect(failure('metadata: {type: Strangers.test, id: x}\nspec: {}\n', { unknownTypes: 'keep' }).reason).toMatch(
      /must have a namespace/,
    );
  });

  it('R12: a tombstone has no YAML', () => {
    const gone = tombstone(Plain.at('x'), Timestamp.epoch);
    let error: unknown;
    try {
      toYaml(gone, { registry });
    } catch (thrown) {
      error = thrown;
    }
    expect(isInvalidArgument(error)).toBe(true);
  });
});

describe('the data of specs', () => {
  it('R15: plain scalars are typed by the core schema, quoted ones are texts', () => {
    const yaml =
      'a: 1\nb: -0.5\nc: 1e3\nd: 0x10\ne: 0o17\nf: true\ng: ~\nh:\ni: yes\nj: 2024-01-01\nk: "1"\nl: \'true\'\nm: !!str 1\nn: |-\n 1\no: +7\n';
    expect(specOf(plain(yaml.replace(/^/gm, '  ')))).toEqual({
      a: 1,
      b: -0.5,
      c: 1000,
      d: 16,
      e: 15,
      f: true,
      g: null,
      h: null,
      i: 'yes',
      j: '2024-01-01',
      k: '1',
      l: 'true',
      m: '1',
      n: '1',
      o: 7,
    });
  });

  it('R15: numbers that JSON cannot hold are refused where they are, not rounded', () => {
    for (const number of [
      '9007199254740993',
      '-9007199254740993',
      '0xffffffffffffffff',
      '.inf',
      '-.INF',
      '.nan',
      '1e999',
    ]) {
      expect(where(failure(plain(`  a: ${number}\n`)))).toBe('1:3:6');
    }
    expect(specOf(plain('  a: 9007199254740991\n'))).toEqual({ a: 9_007_199_254_740_991 });
  });

  it('R15: aliases and merge keys are resolved', () => {
    const yaml =
      '  base: &b {x: 1, y: 2}\n  one: {<<: *b, y: 3}\n  two: {<<: [{z: 0}, *b], x: 4}\n  three: *b\n  "<<": text\n';
    expect(specOf(plain(yaml))).toEqual({
      base: { x: 1, y: 2 },
      one: { x: 1, y: 3 },
      two: { x: 4, y: 2, z: 0 },
      three: { x: 1, y: 2 },
      '<<': 'text',
    });
  });

  it('R15: a document that declares an older YAML is read by the same rules', () => {
    expect(specOf(`%YAML 1.1\n---\n${plain('  a: yes\n  b: 010\n  c: 2024-01-01\n')}`)).toEqual({
      a: 'yes',
      b: 10,
      c: '2024-01-01',
    });
  });

  it('R15: an alias stands for the last anchor of that name before it', () => {
    expect(specOf(plain('  a: &n 1\n  b: *n\n  c: &n 2\n  d: *n\n'))).toEqual({ a: 1, b: 1, c: 2, d: 2 });
    expect(where(failure(plain('  a: *n\n  b: &n 1\n')))).toBe('1:3:6');
    expect(where(failure(plain('  a: 1\n  <<: 1\n')))).toBe('1:4:7');
  });

  it('R15: a key that comes twice is refused', () => {
    expect(where(failure(plain('  a: 1\n  b:\n    c: 1\n    c: 2\n')))).toBe('1:6:5');
  });

  it('R15: keys called like members of Object are keys like any other', () => {
    const spec = specOf(plain('  __proto__: {a: 1}\n  constructor: b\n')) as object;
    expect(Object.keys(spec)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(spec)).toBe(Object.prototype);
    const [document] = parseYaml('metadata: {type: Plains.test, id: x, labels: {__proto__: a}}\nspec: {}\n', registry);
    expect(Object.entries(document?.resource.metadata.labels ?? {})).toEqual([['__proto__', 'a']]);
  });

  it('R15: what is nested as deep as can be is read back', () => {
    let spec: Record<string, unknown> = { end: 1 };
    for (let depth = 1; depth < maxJsonDepth; depth++) spec = { a: spec };
    const deepest = Plain.new('x', spec);
    const [document] = parseYaml(toYaml(deepest), registry);
    expect(document?.resource.equals(deepest)).toBe(true);
    expect(() => Plain.new('x', { a: spec })).toThrow('nested more than');
  });

  it('R15: aliases that multiply or go in circles are refused', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `  l${i + 1}: &l${i + 1} [*l${i}, *l${i}]\n`);
    expect(failure(plain(`  l0: &l0 [a]\n${levels.join('')}`)).reason).toMatch(/aliases make more than/);
    expect(failure(plain('  a: &a [*a]\n')).reason).toMatch(/in a circle/);
    expect(failure(plain('  a: &a {<<: *a}\n')).reason).toMatch(/in a circle/);
  });

  it.each([
    ['lists', `${'['.repeat(100_000)}`],
    ['closed lists', `${'['.repeat(2000)}${']'.repeat(2000)}`],
    ['mappings', Array.from({ length: 3000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['compact lists', `${'- '.repeat(50_000)}a`],
    ['a spec', plain(`  a: ${'['.repeat(600)}${']'.repeat(600)}\n`)],
  ])('R15: %s that are nested very deep are refused', (_, yaml) => {
    expect(isInvalidArgument(failure(yaml))).toBe(true);
  });
});

describe('specs of types that are not known', () => {
  it.each([
    [
      'a block',
      '\n    a:   1e3 # one\n    # two\n    b: |\n      x\n\n      y\n',
      'a:   1e3 # one\n# two\nb: |\n  x\n\n  y\n',
    ],
    ['trailing breaks', '\n  a: |+\n    x\n\n\n', 'a: |+\n  x\n\n\n'],
    ['a line in flow style', ' {a: 0x10, b: ~} # end\n', '{a: 0x10, b: ~}\n'],
    ['lines in flow style', ' {a: 1,\n  b: 2\n }\n', '{a: 1,\n  b: 2\n }\n'],
    ['lines in flow style below', '\n  {a: 1,\n   b: 2}\n', '{a: 1,\n b: 2}\n'],
    ['a tag and an anchor', ' !t &a\n  b: *b\n'.replace('*b', 'c'), 'b: c\n'],
    ['anchors of its own', '\n  a: &a 1\n  b: *a\n', 'a: &a 1\nb: *a\n'],
    ['other line ends', '\r\n  a: 1\r\n  b: 2\r\n', 'a: 1\nb: 2\n'],
    ['no line end', '\n  a: 1', 'a: 1\n'],
  ])('R16: %s is kept as it is written', (_, spec, kept) => {
    expect(keptOf(stranger(spec))).toBe(kept);
  });

  it('R16: an alias to an anchor outside of the spec is refused', () => {
    const yaml = 'metadata: {namespace: ns, type: Strangers.test, id: &i x}\nspec:\n  a: *i\n';
    expect(failure(yaml, { unknownTypes: 'keep' }).reason).toMatch(/must have its anchor in the spec/);
  });

  const opaque = (yaml: string) => {
    const metadata = new Metadata({ namespace: 'ns', type: Machine.type, id: 'x' });
    return new Resource(metadata, new YamlContent(metadata, yaml));
  };

  it.each([
    ['a block', 'a: 1\n', 'spec:\n    a: 1\n'],
    ['a block without a line end', 'a: 1', 'spec:\n    a: 1\n'],
    ['comments', '# one\na: 1\n', 'spec:\n    # one\n    a: 1\n'],
    ['a line in flow style', '{a: 1}\n', 'spec: {a: 1}\n'],
    ['lines in flow style', '{a: 1,\nb: 2}\n', 'spec:\n    {a: 1,\n    b: 2}\n'],
    ['a byte order mark', '\ufeffa: 1\n', 'spec:\n    a: 1\n'],
    ['a document with its markers', '%YAML 1.2\n---\na: 1\n...\n', 'spec:\n    a: 1\n'],
  ])('R16: %s is printed below spec', (_, yaml, printed) => {
    expect(toYaml(opaque(yaml))).toMatch(new RegExp(`updated: .*\\n${printed.replace(/[{}#]/g, '\\$&')}$`));
  });

  it.each(['a: [', '- a\n', 'a\n', '# nothing\n', 'a: 1\n---\nb: 2\n'])('R16: %j is no spec to print', (yaml) => {
    let error: unknown;
    try {
      toYaml(opaque(yaml));
    } catch (thrown) {
      error = thrown;
    }
    expect(isInvalidArgument(error)).toBe(true);
  });

  it('R16: a declaration reads the YAML that was kept, once', () => {
    const content = opaque('disks:\n- size: 1\n').content;
    expect(content.valueFor(Machine as never)).toEqual({ disks: [{ size: 1 }] });
    expect(content.valueFor(Machine as never)).toBe(content.valueFor(Machine as never));
    expect(() => opaque('disks:\n- size: a\n').content.valueFor(Machine as never)).toThrow(
      /^the spec of resource Machines.test\(ns\/x\) cannot be read from its YAML: spec.disks\[0\].size/,
    );
    expect(() => opaque('a: 1\n---\nb: 2\n').content.valueFor(Machine as never)).toThrow(/one document/);
  });

  it('R16: two are equal when their texts are', () => {
    expect(opaque('a: 1\n').equals(opaque('a: 1\n'))).toBe(true);
    expect(opaque('a: 1\n').equals(opaque('a:  1\n'))).toBe(false);
  });
});
