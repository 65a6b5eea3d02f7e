import type { JsonValue } from '@cosi-ts/resource';
import type { InputView } from '../http/workflow-view.js';

/** What a form holds of an input: always a text, so that nothing is lost that is wrong. */
export type FieldTexts = Readonly<Record<string, string>>;

export function firstTexts(inputs: readonly InputView[]): FieldTexts {
  return Object.fromEntries(inputs.map((input) => [input.name, input.required ? '' : textOf(input, input.default)]));
}

/** Texts are themselves, unless one of several is chosen; all else is JSON. */
export function textOf({ type, options }: InputView, value: JsonValue): string {
  if (options.length > 0) return JSON.stringify(value);
  if (type === 'string' && typeof value === 'string') return value;
  return type === 'list' || type === 'object' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

export type FieldValues =
  | { readonly values: Readonly<Record<string, JsonValue>> }
  | { readonly errors: Readonly<Record<string, string>> };

/** The values of a form, or what is wrong by the name of the input. What was left empty is left to its default. */
export function valuesOf(inputs: readonly InputView[], texts: FieldTexts): FieldValues {
  const values: Record<string, JsonValue> = {};
  const errors: Record<string, string> = {};
  for (const input of inputs) {
    const text = texts[input.name] ?? '';
    const isText = input.type === 'string' && input.options.length === 0;
    if (text.trim() === '' && (input.required || !isText)) {
      if (input.required) errors[input.name] = 'It must be given.';
      continue;
    }
    if (isText) {
      values[input.name] = text;
      continue;
    }
    const value = parsed(text);
    if (value === undefined || !isOfType(value, input)) errors[input.name] = wanted[input.type] ?? 'It is no JSON.';
    else values[input.name] = value;
  }
  return Object.keys(errors).length > 0 ? { errors } : { values };
}

const wanted: Readonly<Record<string, string>> = {
  number: 'It is no number.',
  boolean: 'It is neither true nor false.',
  list: 'It is no list in JSON, like ["a", "b"].',
  object: 'It is no object in JSON, like {"a": 1}.',
};

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // That is said by the caller, in words for the type.
    return undefined;
  }
}

function isOfType(value: JsonValue, { type }: InputView): boolean {
  if (type === 'list') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
