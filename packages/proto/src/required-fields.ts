import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import type { SpecPath } from '@cosi-ts/resource';

/**
 * Finds the path of a required field (proto2 has such) that is not set: the message could be neither encoded nor printed.
 * Undefined for schemas without required fields in them.
 */
export function missingField(schema: DescMessage): ((message: Message) => SpecPath | undefined) | undefined {
  return requires(schema, new Set()) ? (message) => missingIn(schema, message, []) : undefined;
}

function missingIn(schema: DescMessage, message: Message, path: SpecPath): SpecPath | undefined {
  for (const field of schema.fields) {
    const { localName } = field;
    if (isRequired(field) && !Object.hasOwn(message, localName)) return [...path, localName];
    if (field.message === undefined) continue;
    for (const [part, at] of partsOf(field, message)) {
      const missing = missingIn(field.message, part, [...path, ...at]);
      if (missing !== undefined) return missing;
    }
  }
  return undefined;
}

/** The messages in a field, with their paths from there on. Well-known types in a form of their own are none. */
function* partsOf(field: DescField, message: Message): Iterable<readonly [part: Message, path: SpecPath]> {
  const { localName, oneof, fieldKind } = field;
  const fields = message as unknown as Readonly<Record<string, unknown>>;
  if (oneof !== undefined) {
    const chosen = fields[oneof.localName] as { readonly case?: string; readonly value?: unknown };
    if (chosen.case === localName && isMessage(chosen.value)) yield [chosen.value, [oneof.localName, 'value']];
  } else if (fieldKind === 'list' || fieldKind === 'map') {
    for (const [key, part] of Object.entries(fields[localName] as object)) {
      if (isMessage(part)) yield [part, [localName, fieldKind === 'list' ? Number(key) : key]];
    }
  } else if (isMessage(fields[localName])) yield [fields[localName], [localName]];
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && '$typeName' in value;
}

function isRequired(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED;
}

function requires(schema: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some(
    (field) => isRequired(field) || (field.message !== undefined && requires(field.message, seen)),
  );
}
