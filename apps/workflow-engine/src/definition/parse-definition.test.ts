// biome-ignore-all lint/suspicious/noTemplateCurlyInString: definitions have expressions in them
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument, stringify } from 'yaml';
import type { Definition } from './definition.js';
import { workflowSchema } from './json-schema.js';
import { type ParseOptions, parseDefinition } from './parse-definition.js';
import { problemLine } from './problem.js';

const everything = readFileSync(`${import.meta.dirname}/testdata/good/everything.yaml`, 'utf8');

function definitionIn(source: string, options?: ParseOptions): Definition {
  const { definition, problems } = parseDefinition(source, options);
  if (definition === undefined) throw new Error(problems.map((problem) => problemLine(problem)).join('\n'));
  return definition;
}

/** The definition as data: templates as what they were written as, conditions too. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([name, part]) => [name, plain(part)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('evaluate' in value && 'source' in value) return value.source;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

function stepIn(step: string, options?: ParseOptions): unknown {
  const lines = step
    .trim()
    .split('\n')
    .map((line) => `    ${line}`);
  return plain(
    definitionIn(
      `name: demo\nsteps:\n  step:\n${lines.join('\n')}\n  other: { run: x }\n  third: { run: x }\n`,
      options,
    ).steps.get('step'),
  );
}

describe('a definition', () => {
  it('has defaults for all that is left out', () => {
    expect(plain(definitionIn('name: demo\nsteps:\n  build:\n    run: make\n'))).toEqual({
      name: 'demo',
      description: '',
      inputs: {},
      env: {},
      outputs: {},
      concurrency: undefined,
      priority: 0,
      timeoutMs: undefined,
      finally: {},
      steps: {
        build: {
          name: 'build',
          needs: { steps: [], join: 'all', cancelRest: false },
          on: 'success',
          when: undefined,
          forEach: undefined,
          repeat: undefined,
          retry: {
            limit: 0,
            backoff: { initialMs: 1000, factor: 2, maxMs: 60_000 },
            on: ['exit', 'error', 'timeout'],
            when: undefined,
          },
          timeoutMs: undefined,
          deadlineMs: undefined,
          continueOnError: false,
          concurrency: undefined,
          priority: 0,
          runsOn: {},
          artifacts: [],
          action: {
            kind: 'run',
            command: { script: 'make' },
            shell: ['sh', '-e'],
            env: {},
            secretEnv: {},
            workingFolder: undefined,
          },
        },
      },
    });
  });

  it('keeps what is written', () => {
    const { inputs, concurrency, timeoutMs, priority, steps, ...rest } = definitionIn(everything);
    expect(plain(inputs)).toEqual({
      target: { type: 'string', description: '', default: undefined, options: [] },
      count: { type: 'number', description: 'How many.', default: 3, options: [1, 2, 3] },
      dryRun: { type: 'boolean', description: '', default: false, options: [] },
      names: { type: 'list', description: '', default: ['a', 'b'], options: [] },
      more: { type: 'object', description: '', default: { a: { b: [1] } }, options: [] },
    });
    expect(plain(concurrency)).toEqual({ key: 'deploy-${{ inputs.target }}', limit: 2, policy: 'refuse' });
    expect({ timeoutMs, priority }).toEqual({ timeoutMs: 9_000_000, priority: -1 });
    expect(plain(steps.get('build-it'))).toMatchObject({
      retry: { limit: 3, backoff: { initialMs: 2000, factor: 1.5, maxMs: 60_000 }, on: ['exit', 'timeout'] },
      timeoutMs: 600_000,
      deadlineMs: 3_600_000,
      concurrency: { key: 'builds', limit: 1, policy: 'wait' },
      runsOn: { os: 'linux', cores: '8' },
      artifacts: ['dist', 'report.txt'],
      continueOnError: true,
      action: {
        kind: 'run',
        shell: ['bash', '-e'],
        env: { CI: true },
        secretEnv: { TOKEN: { secret: 'github', key: 'token' } },
      },
    });
    expect([...rest.finally.keys()]).toEqual(['clean', 'tell']);
  });

  it.each<[string, object]>([
    ['needs: other\nrun: x', { needs: { steps: ['other'], join: 'all', cancelRest: false } }],
    ['needs: [other, third]\nrun: x', { needs: { steps: ['other', 'third'], join: 'all' } }],
    [
      'needs: { steps: [other, third], join: any, cancelRest: true }',
      { needs: { join: 1, cancelRest: true }, action: { kind: 'none' } },
    ],
    ['needs: { steps: [other, third], join: 2 }', { needs: { join: 2 } }],
    ['run: x\nretry: 3', { retry: { limit: 3, backoff: { initialMs: 1000 } } }],
    [
      'run: x\nretry: { limit: 1, backoff: 5s, on: exit }',
      { retry: { backoff: { initialMs: 5000, factor: 1, maxMs: 5000 }, on: ['exit'] } },
    ],
    [
      'run: x\nretry: { limit: 1, backoff: { initial: 2m } }',
      { retry: { backoff: { initialMs: 120_000, factor: 2, maxMs: 120_000 } } },
    ],
    ['run: [node, 1, true]', { action: { command: { args: ['node', 1, true] } } }],
    ['forEach: [a, 1]\nrun: x', { forEach: { items: ['a', 1], parallel: undefined, maxFailures: 0 } }],
    [
      'forEach: ${{ range(3) }}\noutputs: { i: "${{ index }}" }',
      { forEach: { items: '${{ range(3) }}' }, action: { kind: 'none', outputs: { i: '${{ index }}' } } },
    ],
    ['repeat: { until: index > 2 }\nrun: x', { repeat: { until: 'index > 2', limit: 1000, delayMs: 0 } }],
    ['when: ${{ run.id == "a" }}\nrun: x', { when: 'run.id == "a"' }],
    ['when: true\nrun: x', { when: 'true' }],
    [
      'http: https://a.b',
      { action: { kind: 'http', method: 'GET', url: 'https://a.b', expect: [{ from: 200, to: 299 }] } },
    ],
    ['http: { url: "${{ run.id }}", body: [1] }', { action: { method: 'POST', body: [1] } }],
    [
      'http: { url: https://a.b, method: delete, expect: [204, 3xx, 400-404] }',
      {
        action: {
          method: 'DELETE',
          expect: [
            { from: 204, to: 204 },
            { from: 300, to: 399 },
            { from: 400, to: 404 },
          ],
        },
      },
    ],
    [
      'function: f\nwith: { a: { b: "${{ run.id }}" } }',
      { action: { kind: 'function', function: 'f', with: { a: { b: '${{ run.id }}' } } } },
    ],
    ['workflow: w', { action: { kind: 'workflow', workflow: 'w', with: {} } }],
    ['sleep: 1h30m', { action: { kind: 'sleep', duration: '1h30m' } }],
    ['sleepUntil: 2030-05-17T08:00Z', { action: { kind: 'sleepUntil', time: '2030-05-17T08:00Z' } }],
    ['wait: go', { action: { kind: 'wait', signal: 'go', approval: undefined, otherwise: undefined } }],
    ['approve: Sure?', { action: { kind: 'wait', signal: undefined, approval: 'Sure?' } }],
    [
      'forEach: [a, b]\nwait: "go-${{ item }}"',
      { action: { kind: 'wait', signal: 'go-${{ item }}', approval: undefined } },
    ],
    [
      'approve: { prompt: Sure?, signal: ok, otherwise: { approved: true } }\ntimeout: 1d',
      { action: { signal: 'ok', otherwise: { approved: true } }, timeoutMs: 86_400_000 },
    ],
  ])('%s', (step, expected) => {
    expect(stepIn(step)).toMatchObject(expected);
  });

  it('takes what executors do that were plugged in as it is', () => {
    expect(stepIn('docker: { image: "node:${{ run.id }}", args: [1] }', { executors: ['docker'] })).toMatchObject({
      action: { kind: 'other', executor: 'docker', config: { image: 'node:${{ run.id }}', args: [1] } },
    });
    expect(() => parseDefinition(everything, { executors: ['run'] })).toThrow(TypeError);
  });

  it('can be evaluated', () => {
    const { steps } = definitionIn(everything);
    const script = steps.get('build-it')?.action;
    if (script?.kind !== 'run' || !('script' in script.command)) throw new Error('the step has no script');
    expect(script.command.script.evaluate({ inputs: { target: 'all', count: 2 } })).toBe('make all \\\n  COUNT=2\n');
    expect(steps.get('each')?.forEach?.items.evaluate({ inputs: { count: 2 } })).toEqual([0, 1]);
  });
});

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const duration = fc.stringMatching(/^[1-9][0-9]{0,2}(ms|s|m|h|d)$/);
const action = fc.oneof(
  fc.record({ run: fc.constantFrom('make', 'echo "${{ run.id }}"\n', 'a: b # c') }),
  fc.record({
    run: fc.array(
      fc.oneof(
        fc.string().filter((text) => !text.includes('${{')),
        fc.integer(),
        fc.boolean(),
      ),
      { minLength: 1 },
    ),
  }),
  fc.record({
    http: fc.record({
      url: fc.webUrl(),
      body: fc.jsonValue().filter((value) => !JSON.stringify(value).includes('${{')),
    }),
  }),
  fc.record({ sleep: duration }),
  fc.record({ approve: fc.constantFrom('Sure?', 'Is ${{ inputs.target }} right?') }),
  fc.record({ function: name, with: fc.dictionary(name, fc.integer()) }),
  fc.record({ outputs: fc.record({ a: fc.constantFrom(1, '${{ inputs.target }}') }) }),
);
const options = fc.record(
  {
    timeout: duration,
    priority: fc.integer(),
    continueOnError: fc.boolean(),
    retry: fc.nat(9),
    when: fc.constantFrom('true', 'run.retries > 0'),
  },
  { requiredKeys: [] },
);

/** Definitions that hold together: steps need those before them, and speak of them. */
const valid = fc
  .tuple(
    fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
    fc.infiniteStream(action),
    fc.infiniteStream(options),
    fc.infiniteStream(fc.nat(7)),
  )
  .map(([names, actions, others, choices]) => {
    const take = <T>(stream: Iterator<T>): T => stream.next().value as T;
    const steps = names.map((step, i) => {
      const needs = names.slice(0, i).filter(() => take(choices) < 3);
      const [first] = needs;
      const when =
        first === undefined
          ? {}
          : {
              needs: take(choices) < 4 ? needs : { steps: needs, join: 'any' },
              when: `steps.${first}.state == 'failed'`,
            };
      return [step, { ...take(others), ...when, ...take(actions) }] as const;
    });
    return { name: 'demo', inputs: { target: { type: 'string', default: 'x' } }, steps: Object.fromEntries(steps) };
  });

describe('every definition that holds together', () => {
  it('is read, whatever its layout', () => {
    fc.assert(
      fc.property(
        valid,
        fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'BLOCK_FOLDED'),
        fc.integer({ min: 20, max: 90 }),
        (document, style, lineWidth) => {
          const source = stringify(document, { defaultStringType: style as 'PLAIN', lineWidth });
          const definition = definitionIn(source);
          expect([...definition.steps.keys()]).toEqual(Object.keys(document.steps));
          for (const { references } of [...definition.steps.values()].flatMap(({ when }) => when ?? [])) {
            for (const { offset, root } of references) expect(source.slice(offset, offset + root.length)).toBe(root);
          }
        },
      ),
    );
  }, 30_000);

  it('has its mistakes told where they are, wherever that is', () => {
    const line = fc.constantFrom('', '# comment', '   ', '#', '    # more');
    fc.assert(
      fc.property(valid, fc.array(line), (document, lines) => {
        const source = stringify({ ...document, extra: { when: 'x' } });
        const moved = lines.map((text) => `${text}\n`).join('') + source;
        const [problem, ...others] = parseDefinition(moved).problems ?? [];
        expect(others).toEqual([]);
        expect(moved.slice(problem?.offset).startsWith('extra:')).toBe(true);
        expect(moved.split('\n')[(problem?.line ?? 0) - 1]?.slice((problem?.column ?? 0) - 1)).toBe('extra:');
      }),
    );
  }, 30_000);
});

describe('any text', () => {
  const ajv = new Ajv({ strictTypes: false, strictRequired: false });
  const validate = ajv.compile(workflowSchema());

  /** Everything, with some lines or some characters gone, or others there. */
  const damaged = fc
    .tuple(
      fc.nat(),
      fc.nat(30),
      fc.oneof(
        fc.constantFrom('', '${{', '}}', '\n', ': ', '- ', '[', '{', '"', "'", '&a ', '*a', '!x ', '|', '1', '~'),
        fc.string({ maxLength: 5 }),
      ),
    )
    .map(([n, taken, put]) => {
      const at = n % everything.length;
      return everything.slice(0, at) + put + everything.slice(at + taken);
    });

  it('is read or told what is wrong with, and what is read the schema accepts', () => {
    fc.assert(
      fc.property(damaged, (source) => {
        const { definition, problems } = parseDefinition(source);
        for (const { line, column, message } of problems ?? []) {
          expect(line).toBeLessThanOrEqual(source.split('\n').length);
          expect(column).toBeGreaterThan(0);
          expect(message).not.toBe('');
        }
        expect(problems?.length).not.toBe(0);
        if (definition !== undefined) {
          const document = parseDocument(source, { merge: true }).toJS() as unknown;
          expect(validate(document), `${JSON.stringify(validate.errors)}\n${source}`).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  }, 30_000);

  it.each([
    ['['.repeat(20_000), '1:'],
    [`name: a\nsteps:\n  b:\n    function: c\n    with: { d: ${'['.repeat(200)}${']'.repeat(200)} }\n`, '5:'],
    [`name: a\nsteps:\n  b:\n    function: c\n    with: ${'{ d: '.repeat(1000)}1${' }'.repeat(1000)}\n`, '5:'],
  ])('may be nested too deeply', (source, line) => {
    const { problems = [] } = parseDefinition(source);
    expect(problems.map((problem) => problemLine(problem))).toEqual([
      expect.stringMatching(`^${line}.*: this is nested too deeply$`),
    ]);
  });

  it('may hold anchors that would become very many values', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `l${i + 1}: &l${i + 1} [*l${i}, *l${i}]`);
    const { problems } = parseDefinition(`l0: &l0 x\n${levels.join('\n')}\n`);
    expect(problems?.[0]?.message).toBe('the document has more than 1000000 values, when all anchors are resolved');
  });

  it('may merge lists that anchors make very long', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `l${i + 1}: &l${i + 1} [*l${i}, *l${i}]`);
    const { problems } = parseDefinition(`l0: &l0 [{ k: 1 }]\n${levels.join('\n')}\nsteps: { a: { <<: *l30 } }\n`);
    expect(problems?.[0]?.message).toBe('the document has more than 1000000 values, when all anchors are resolved');
  });
});

it('reads a definition of ten thousand steps in a chain in little time', () => {
  const step = (i: number) => `  s${i}:\n    needs: s${i - 1}\n    run: echo \${{ steps.s${i - 1}.outputs.x }}\n`;
  const source = `name: chain\nsteps:\n  s0:\n    run: echo\n${Array.from({ length: 10_000 }, (_, i) => step(i + 1)).join('')}`;
  const startedAt = performance.now();
  expect(definitionIn(source).steps.size).toBe(10_001);
  // A second or two where nothing else runs.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
}, 30_000);

it('says of a definition that is too long what to do instead, and reads none of it', () => {
  const { problems } = parseDefinition(`name: long\nsteps: { a: { run: ${'x'.repeat(2 * 1024 * 1024)} } }\n`);
  expect(problems).toEqual([
    expect.objectContaining({ line: 1, message: expect.stringMatching(/^a definition has at/) }),
  ]);
});

it('tells the first of very many mistakes, in little time', () => {
  const step = (i: number) => `  s${i}: { needs: r${i}, run: "\${{ steps.t${i}.state }}" }\n`;
  const startedAt = performance.now();
  const { problems } = parseDefinition(`name: a\nsteps:\n${Array.from({ length: 5000 }, (_, i) => step(i)).join('')}`);
  expect(problems).toHaveLength(200);
  expect(problems?.[0]).toMatchObject({ line: 3, path: 'steps.s0.needs' });
  // Three seconds or so. With all names looked at for each of them it was minutes.
  expect(performance.now() - startedAt).toBeLessThan(25_000);
}, 30_000);

it('shows of a long circle its ends', () => {
  const step = (i: number) => `  s${i}: { needs: s${(i + 1) % 5000}, run: x }\n`;
  const { problems } = parseDefinition(`name: a\nsteps:\n${Array.from({ length: 5000 }, (_, i) => step(i)).join('')}`);
  expect(problems?.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^steps need each other in a circle, s0 → s1 → .* → s9 → … → s4999 → s0: take/),
  ]);
});
