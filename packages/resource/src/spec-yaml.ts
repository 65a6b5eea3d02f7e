import type { JsonValue } from './frozen-data.js';
import { isSimpleKey, type ScalarContext, typedScalar, untypedScalar } from './yaml-scalar.js';

type WriteText = (text: string, context: ScalarContext) => string;

/** The YAML of JSON-like data, with the keys in their order and four columns to a level. It ends in a newline. */
export function specYaml(json: JsonValue): string {
  return `${node(json, 0, typedScalar).trimStart()}\n`;
}

/** As {@link specYaml}, for data in which all scalars are texts that are read from their source text. */
export function untypedYaml(json: JsonValue): string {
  return `${node(json, 0, untypedScalar).trimStart()}\n`;
}

/** What follows a colon: a blank and one line, or lines of their own at the given column. */
function node(json: JsonValue, indent: number, write: WriteText, parent: number = indent): string {
  if (Array.isArray(json)) {
    return json.length === 0 ? ' []' : `\n${' '.repeat(indent)}${sequence(json, indent, write)}`;
  }
  if (typeof json === 'object' && json !== null) {
    const entries = Object.entries(json);
    return entries.length === 0 ? ' {}' : `\n${' '.repeat(indent)}${mapping(entries, indent, write)}`;
  }
  const scalar = scalarText(json, { indent: parent, blockIndent: indent }, write);
  return scalar === '' ? '' : ` ${scalar}`;
}

function scalarText(json: string | number | boolean | null, context: ScalarContext, write: WriteText): string {
  if (typeof json === 'string') return write(json, context);
  return Object.is(json, -0) ? '-0' : String(json);
}

/** The lines of a mapping whose keys stand in that column, the first one without its margin. */
function mapping(entries: readonly [string, JsonValue][], indent: number, write: WriteText): string {
  const inner = 4 * Math.floor((indent + 4) / 4);
  const margin = ' '.repeat(indent);
  return entries
    .map(([key, value]) => {
      const rest = node(value, inner, write, indent);
      if (isSimpleKey(key)) return `${write(key, { key: true, indent, blockIndent: inner })}:${rest}`;
      return `? ${write(key, { indent, blockIndent: inner })}\n${margin}:${rest}`;
    })
    .join(`\n${margin}`);
}

/** The lines of a list whose dashes stand in that column, the first one without its margin. */
function sequence(items: readonly JsonValue[], indent: number, write: WriteText): string {
  const inner = indent + 2;
  return items.map((item) => `-${sequenceItem(item, indent, inner, write)}`).join(`\n${' '.repeat(indent)}`);
}

function sequenceItem(item: JsonValue, indent: number, inner: number, write: WriteText): string {
  const text = node(item, inner, write, indent);
  // What begins a line of its own can share the line of the dash: the columns fit.
  return text.startsWith('\n') ? ` ${text.trimStart()}` : text;
}
