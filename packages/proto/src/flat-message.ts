import { type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { isWellFormed } from './well-formed.js';

type IsValid = (value: unknown) => boolean;

/**
 * Tells of messages that were just made from their fields whether they are valid as they are, for schemas whose fields are
 * single texts, booleans, integers and enums. Undefined for other schemas: to check their messages takes a copy, which
 * takes several times as long.
 */
export function flatCheck(schema: DescMessage): ((message: Message) => boolean) | undefined {
  const checks: (readonly [name: string, isValid: IsValid])[] = [];
  for (const field of schema.fields) {
    const isValid = checkOf(field);
    if (isValid === undefined) return undefined;
    checks.push([field.localName, isValid]);
  }
  return (message) => {
    const fields = message as unknown as Readonly<Record<string, unknown>>;
    for (const [name, isValid] of checks) if (!isValid(fields[name])) return false;
    return true;
  };
}

function checkOf(field: DescField): IsValid | undefined {
  if (field.oneof !== undefined) return undefined;
  if (field.fieldKind === 'enum') return field.enum.open ? isInt32 : undefined;
  return field.fieldKind === 'scalar' ? scalarChecks[field.scalar] : undefined;
}

const isInt32: IsValid = (value) => isIntegerWithin(value, -(2 ** 31), 2 ** 31 - 1);

const scalarChecks: { readonly [scalar in ScalarType]?: IsValid } = {
  [ScalarType.STRING]: (value) => typeof value === 'string' && isWellFormed(value),
  [ScalarType.BOOL]: (value) => typeof value === 'boolean',
  [ScalarType.INT32]: isInt32,
  [ScalarType.UINT32]: (value) => isIntegerWithin(value, 0, 2 ** 32 - 1),
};

function isIntegerWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}
