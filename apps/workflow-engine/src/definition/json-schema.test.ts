import { readdirSync, readFileSync } from 'node:fs';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { workflowSchema } from './json-schema.js';
import { parseDefinition } from './parse-definition.js';

const checkedIn = `${import.meta.dirname}/../../schema/workflow.schema.json`;
const examples = `${import.meta.dirname}/../../examples`;
const ajv = new Ajv({ allErrors: true, strictTypes: false, strictRequired: false });
const validate = ajv.compile(workflowSchema());

/** Whether the schema accepts a document; undefined where there is none for it to look at. */
function isAccepted(source: string): boolean | undefined {
  const document = parseDocument(source, { merge: true });
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined;
  let value: unknown;
  try {
    value = document.toJS();
  } catch {
    // Anchors that are not there, and maps that cannot be merged.
    return undefined;
  }
  return validate(value);
}

function* sources(folder: string): Generator<[file: string, source: string]> {
  const path = `${import.meta.dirname}/testdata/${folder}`;
  for (const file of readdirSync(path)) yield [file, readFileSync(`${path}/${file}`, 'utf8')];
}

describe('the JSON Schema', () => {
  it('is checked in as it is made, which vitest run json-schema -u does', async () => {
    await expect(`${JSON.stringify(workflowSchema(), null, 2)}\n`).toMatchFileSnapshot(checkedIn);
  });

  it.each([...sources('good')])('accepts %s, as the parser does', (_, source) => {
    expect(parseDefinition(source).problems).toBeUndefined();
    expect(isAccepted(source), JSON.stringify(validate.errors, null, 1)).toBe(true);
  });

  it.each(readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml')))(
    'accepts the example %s',
    (file) => {
      expect(isAccepted(readFileSync(`${examples}/${file}`, 'utf8')), JSON.stringify(validate.errors, null, 1)).toBe(
        true,
      );
    },
  );

  it.each([...sources('broken')])('refuses %s, unless only the whole tells what is wrong', (_, source) => {
    expect(isAccepted(source) ?? false).toBe(source.startsWith('# The schema accepts it.\n'));
  });

  it('knows executors that were plugged in', () => {
    const plugged = ajv.compile(workflowSchema(['docker']));
    expect(plugged({ name: 'a', steps: { b: { docker: { image: 'node' }, artifacts: 'dist' } } })).toBe(true);
    expect(plugged({ name: 'a', steps: { b: { docker: {}, run: 'make' } } })).toBe(false);
    expect(plugged({ name: 'a', steps: { b: { podman: {} } } })).toBe(false);
  });
});
