import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { SpecPath } from '@cosi-ts/resource';

/** Makes a message from a part of what it was to be made from, or throws. */
export type Attempt = (schema: DescMessage, part: Readonly<Record<string, unknown>>) => unknown;

/**
 * Where in the input of a message the fault is: keys of objects and indices of lists. The protobuf library names the
 * field, but not the way to it; so when an input was refused, its parts are tried one by one.
 *
 * @param attempt what refused the input
 * @param fieldName how the input names a field
 */
export function faultPath(
  schema: DescMessage,
  input: unknown,
  attempt: Attempt,
  fieldName: (field: DescField, key: string) => boolean,
): SpecPath {
  const within = (desc: DescMessage, value: unknown, path: SpecPath): SpecPath => {
    // Well-known types have forms of their own, of which the fields say nothing.
    if (!isRecord(value) || desc.typeName.startsWith('google.protobuf.')) return path;
    for (const [key, item] of Object.entries(value)) {
      // $typeName and $unknown are no fields.
      if (key.startsWith('$') || accepts(desc, { [key]: item })) continue;
      const field = desc.fields.find((candidate) => fieldName(candidate, key));
      return field === undefined ? [...path, key] : inField(desc, field, key, item, [...path, key]);
    }
    return path;
  };

  const inField = (desc: DescMessage, field: DescField, key: string, value: unknown, path: SpecPath): SpecPath => {
    if (field.fieldKind === 'message') return within(field.message, value, path);
    const parts =
      field.fieldKind === 'list' && Array.isArray(value)
        ? value.map((item, i) => ({ at: i, item, alone: [item] as unknown }))
        : field.fieldKind === 'map' && isRecord(value)
          ? Object.entries(value).map(([at, item]) => ({ at, item, alone: { [at]: item } as unknown }))
          : [];
    for (const { at, item, alone } of parts) {
      if (accepts(desc, { [key]: alone })) continue;
      return field.message === undefined ? [...path, at] : within(field.message, item, [...path, at]);
    }
    return path;
  };

  const accepts = (desc: DescMessage, part: Readonly<Record<string, unknown>>): boolean => {
    try {
      attempt(desc, part);
      return true;
    } catch {
      // Why it was refused is known from the whole input; here it is only asked whether.
      return false;
    }
  };

  return within(schema, input, []);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
