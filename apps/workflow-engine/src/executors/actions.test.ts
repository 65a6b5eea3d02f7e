import { readFile, writeFile } from 'node:fs/promises';
import { TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { describe, expect, it } from 'vitest';
import type { Action, Definition, StepDefinition } from '../definition/definition.js';
import { parseDefinition } from '../definition/parse-definition.js';
import { loadPlugins } from '../plugins.js';
import { functionAction } from './function/action.js';
import { httpAction } from './http/action.js';
import { runAction } from './run/action.js';

function parsed(yaml: string, executors: readonly string[] = []): Definition {
  const { definition, problems } = parseDefinition(yaml, { executors });
  expect(problems).toBeUndefined();
  return definition as Definition;
}

/** The step `a` of the definition. */
function stepOf<K extends Action['kind']>(definition: Definition, kind: K) {
  const step = definition.steps.get('a') as StepDefinition;
  expect(step.action.kind).toBe(kind);
  return { step, action: step.action as Extract<Action, { kind: K }> };
}

const head = 'name: test\ninputs: { who: string, list: list, url: string }\n';
const scope = { inputs: { who: 'me & "you"', list: [1, 'a'], url: 'http://localhost:1/x' } };

describe('the action of a step', () => {
  it('run: a script, with the environment of workflow and step', () => {
    const definition = parsed(`${head}
env: { A: '1', B: '1' }
steps:
  a:
    run: 'echo \${{ inputs.who }}'
    shell: [bash, -eu]
    env: { B: '\${{ inputs.list }}', C: 3 }
    secretEnv: { T: s/k }
    workingFolder: /srv/\${{ size(inputs.list) }}
    artifacts: [dist]
`);
    const { step, action } = stepOf(definition, 'run');
    expect(runAction(action, step, definition, scope)).toEqual({
      script: 'echo me & "you"',
      shell: ['bash', '-eu'],
      env: { A: '1', B: '[1,"a"]', C: '3' },
      secretEnv: { T: { secret: 's', key: 'k' } },
      workingFolder: '/srv/2',
      artifacts: ['dist'],
    });
  });

  it('run: a program and its arguments', () => {
    const definition = parsed(`${head}steps: { a: { run: [echo, '\${{ inputs.who }}', 1, ''] } }`);
    const { step, action } = stepOf(definition, 'run');
    expect(runAction(action, step, definition, scope)).toEqual({
      args: ['echo', 'me & "you"', '1', ''],
      env: {},
      secretEnv: {},
      artifacts: [],
    });
  });

  it('run: refuses at once what can never be executed', () => {
    const definition = parsed(
      `${head}steps: { a: { run: ['\${{ inputs.who }}', x], workingFolder: '\${{ inputs.who }}' } }`,
    );
    const { step, action } = stepOf(definition, 'run');
    expect(() => runAction(action, step, definition, { inputs: { who: '' } })).toThrow('args.0 cannot be the name');
  });

  it('http', () => {
    const definition = parsed(`${head}
steps:
  a:
    http:
      method: POST
      url: \${{ inputs.url }}
      headers: { X-Who: '\${{ inputs.list }}' }
      secretHeaders: { Authorization: s/k }
      body: { who: '\${{ inputs.who }}', list: '\${{ inputs.list }}' }
      expect: [2xx, 404]
`);
    const { action } = stepOf(definition, 'http');
    expect(httpAction(action, scope)).toEqual({
      method: 'POST',
      url: 'http://localhost:1/x',
      headers: { 'X-Who': '[1,"a"]' },
      secretHeaders: { Authorization: { secret: 's', key: 'k' } },
      body: { who: 'me & "you"', list: [1, 'a'] },
      expect: [
        { from: 200, to: 299 },
        { from: 404, to: 404 },
      ],
    });
    expect(() => httpAction(action, { inputs: { ...scope.inputs, url: 'nowhere' } })).toThrow(
      'url is no URL: "nowhere"',
    );
  });

  it('function', () => {
    const definition = parsed(`${head}steps: { a: { function: f, with: { n: 1, list: '\${{ inputs.list }}' } } }`);
    const { action } = stepOf(definition, 'function');
    expect(functionAction(action, scope)).toEqual({ function: 'f', with: { n: 1, list: [1, 'a'] } });
  });
});

describe('docs/executors.md', async () => {
  const text = await readFile(new URL('../../docs/executors.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, yaml]) => yaml as string);

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(3);
  });

  it.each(examples)('has a good example: %s', (yaml) => {
    parsed(`name: example\ninputs: { file: string, version: string }\n${yaml}`, ['sql']);
  });

  it('has a good plugin', async () => {
    const [, source = ''] = /^```js\n(.*?)^```/ms.exec(text) ?? [];
    await using folder = await TemporaryFolder.make();
    const file = folder.file('steps.mjs');
    await writeFile(file, source);
    const { functions } = await loadPlugins([file]);
    expect(functions.map(({ name }) => name)).toEqual(['resize']);
  });
});
