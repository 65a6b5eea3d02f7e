import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseExpression } from '../expression/expression.js';
import { workflowSchema } from './json-schema.js';
import { parseDefinition } from './parse-definition.js';
import { problemLine } from './problem.js';
import type { JsonSchema } from './syntax/json-schema.js';

const file = `${import.meta.dirname}/../../docs/definition.md`;
const text = readFileSync(file, 'utf8');
const schema = workflowSchema();

/** The map among what may stand under some keys, as it is within the schema. */
function mapAt(...keys: string[]): JsonSchema {
  let here: JsonSchema = schema;
  for (const key of keys)
    here = mapIn(key === '*' ? (here.additionalProperties as JsonSchema) : (here.properties?.[key] ?? {}));
  return here;
}

function mapIn(of: JsonSchema): JsonSchema {
  const { $ref, allOf, anyOf } = of;
  if ($ref !== undefined) return mapIn(schema.definitions?.[$ref.replace('#/definitions/', '')] ?? {});
  if (allOf?.[0] !== undefined) return mapIn(allOf[0]);
  return anyOf?.find(({ type, properties }) => type === 'object' && properties !== undefined) ?? of;
}

const maps: Readonly<Record<string, JsonSchema>> = {
  workflow: schema,
  input: mapAt('inputs', '*'),
  concurrency: mapAt('concurrency'),
  step: mapAt('steps', '*'),
  needs: mapAt('steps', '*', 'needs'),
  forEach: mapAt('steps', '*', 'forEach'),
  repeat: mapAt('steps', '*', 'repeat'),
  retry: mapAt('steps', '*', 'retry'),
  backoff: mapAt('steps', '*', 'retry', 'backoff'),
  http: mapAt('steps', '*', 'http'),
  wait: mapAt('steps', '*', 'wait'),
  approve: mapAt('steps', '*', 'approve'),
};

function tableOf({ properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([key, { description = '', default: initial }]) => {
    const more = required.includes(key) ? ' Required.' : initial === undefined ? '' : ` Default: \`${initial}\`.`;
    return `| \`${key}\` | ${description}${more} |`;
  });
  return ['| key | what it is |', '| --- | --- |', ...rows].join('\n');
}

/** The page with the tables of keys as the syntax has them. */
function withTables(page: string): string {
  return page.replace(
    /<!-- table: (\w+) -->\n(?:\|.*\n)*/g,
    (_, name: string) => `<!-- table: ${name} -->\n${tableOf(maps[name] ?? {})}\n`,
  );
}

describe('the page on definitions', () => {
  it('has the keys that there are, which vitest run definition-doc -u writes', async () => {
    expect([...text.matchAll(/<!-- table: (\w+) -->/g)].map(([, name]) => name)).toEqual(Object.keys(maps));
    for (const [name, { properties }] of Object.entries(maps)) expect(properties, name).toBeDefined();
    await expect(withTables(text)).toMatchFileSnapshot(file);
  });

  it.each([...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) => block))(
    'has examples that are right: %s',
    (block) => {
      const steps = block.replace(/^(?=.)/gm, '  ');
      const { problems = [] } = parseDefinition(block.startsWith('name:') ? block : `name: example\nsteps:\n${steps}`);
      expect(problems.map((problem) => problemLine(problem))).toEqual([]);
    },
  );

  const [, scope = ''] = /With `inputs` being `(.*)`:/.exec(text) ?? [];
  const rows = [...text.matchAll(/^\| `([^|]*|.*\|\|.*)` \| `(.*)` \|$/gm)].map(
    ([, source = '', value = '']) => [source, value] as const,
  );

  it.each(rows)('has values that are right: %s is %s', (source, value) => {
    expect(parseExpression(source).evaluate({ inputs: JSON.parse(scope) })).toEqual(JSON.parse(value));
  });

  it('has examples of expressions', () => {
    expect(rows.length).toBeGreaterThan(25);
  });
});
