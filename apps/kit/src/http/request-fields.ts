import type { JsonValue } from '@cosi-ts/resource';
import { FieldError } from '../specs/field-error.js';

type Fields = Readonly<Record<string, JsonValue>>;

/** Machine names: what DNS, file names and hypervisors all take. */
const idPattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** The id of something to be made. Throws a {@link FieldError}. */
export function idField(fields: Fields): string {
  const { id } = fields;
  if (id === undefined) throw new FieldError('id', 'is missing');
  if (typeof id !== 'string' || !idPattern.test(id)) {
    throw new FieldError(
      'id',
      `must be up to 63 letters, digits, dots, dashes and underscores, with a letter or digit at both ends, not ${JSON.stringify(id)}`,
    );
  }
  return id;
}

/** The labels of something; undefined when the request says nothing of them. Throws a {@link FieldError}. */
export function labelsField(fields: Fields): Readonly<Record<string, string>> | undefined {
  const { labels } = fields;
  if (labels === undefined) return undefined;
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    throw new FieldError('labels', 'must be an object of texts');
  }
  for (const [key, value] of Object.entries(labels)) {
    if (typeof value !== 'string')
      throw new FieldError('labels', `${key} must be a text, not ${JSON.stringify(value)}`);
  }
  return labels as Readonly<Record<string, string>>;
}

/** What is left for the spec. */
export function specFields(fields: Fields): Record<string, JsonValue> {
  const { id: _id, labels: _labels, ...spec } = fields;
  return spec;
}
