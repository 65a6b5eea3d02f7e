import { describe, expect, it } from 'vitest';
import vectors from '../../../tools/vectors/definitions.json' with { type: 'json' };
import { definitionOf, type ResourceDefinitionSpec } from './definition.js';
import { isInvalidArgument } from './error-guards.js';
import { definitionId } from './type-name.js';

interface Row {
  readonly type: string;
  readonly aliases: readonly string[];
  readonly skipAutomaticAliases: boolean;
  readonly sensitivity: string;
  readonly id?: string;
  readonly displayType?: string;
  readonly filledAliases?: readonly string[];
  readonly allAliases?: readonly string[];
  readonly goError?: string;
}

const rows = vectors.rows as readonly Row[];

/** The words of the rule that is broken, as the peer and as we put them. */
const rules: ReadonlyMap<string, RegExp> = new Map([
  ['missing suffix', /the suffix is missing/],
  ['suffix is empty', /the suffix is empty/],
  ['name is empty', /the part before the dot is empty/],
  ['name should be in CamelCase', /must be in CamelCase/],
  ['name should be plural', /must be a plural/],
  ["name doesn't match", /^[^:]*: "[^"]*" doesn't match \^\[A-Z\]/],
  ["suffix doesn't match", /the suffix "[^"]*" doesn't match/],
  ['unknown sensitivity', /unknown sensitivity "very"/],
]);

function outcome(row: Row): ResourceDefinitionSpec | Error {
  try {
    return definitionOf({
      type: row.type,
      namespace: 'default',
      aliases: row.aliases,
      skipAutomaticAliases: row.skipAutomaticAliases,
      printColumns: [],
      sensitivity: (row.sensitivity || 'non-sensitive') as 'sensitive',
    });
  } catch (error) {
    return error as Error;
  }
}

const good = rows.filter((row) => row.goError === undefined);
const bad = rows.filter((row) => row.goError !== undefined);

describe('definitions against the golden vectors', () => {
  it('has all rows', () => {
    expect([rows.length, good.length, bad.length]).toEqual([71, 43, 28]);
  });

  it.each(good)(
    'R10: $type with aliases $aliases has the id, display type and aliases that the peer gives it',
    (row) => {
      expect(outcome(row)).toMatchObject({
        type: row.type,
        displayType: row.displayType,
        aliases: row.filledAliases,
        allAliases: row.allAliases,
      });
      expect(definitionId(row.type)).toBe(row.id);
    },
  );

  it.each(bad)('R10: $type breaks the rule that the peer names', (row) => {
    const error = outcome(row) as Error;
    expect(isInvalidArgument(error)).toBe(true);
    const rule = [...rules].find(([words]) => row.goError?.includes(words));
    expect(error.message).toMatch(rule?.[1] ?? 'no rule');
  });
});

describe('definitionOf', () => {
  it('R10: leaves out what has its usual value', () => {
    expect(
      outcome({ type: 'VMConfigs.vms.example', aliases: [], skipAutomaticAliases: true, sensitivity: '' }),
    ).toEqual({
      type: 'VMConfigs.vms.example',
      displayType: 'VMConfig',
      defaultNamespace: 'default',
      aliases: [],
      allAliases: [],
      skipAutomaticAliases: true,
      printColumns: [],
    });
    const sensitive = outcome({
      type: 'Secrets.vms.example',
      aliases: [],
      skipAutomaticAliases: false,
      sensitivity: 'sensitive',
    });
    expect(sensitive).toHaveProperty('sensitivity', 'sensitive');
    expect(sensitive).not.toHaveProperty('skipAutomaticAliases');
  });
});
