import type { JsonValue } from './frozen-data.js';
import { isPlainKey, isSimpleKey, type ScalarContext, typedScalar, untypedScalar } from './yaml-scalar.js';

/** The YAML of JSON-like data, with the keys in their order and four columns to a level. It ends in a newline. */
export function specYaml(json: JsonValue): string {
  return `${withoutMargin(node(json, { indent: 0, parent: 0, write: typedScalar }))}\n`;
}

/** What {@link untypedYaml} writes: texts, lists of them, and maps in the order of their entries. */
export type UntypedYaml = string | readonly UntypedYaml[] | ReadonlyMap<string, UntypedYaml>;

/** As {@link specYaml}, for texts that are read from their source text. */
export function untypedYaml(data: UntypedYaml): string {
  return `${withoutMargin(node(data, { indent: 0, parent: 0, write: untypedScalar }))}\n`;
}

type Printable = JsonValue | UntypedYaml;

interface Place {
  /** The column of what begins on a line of its own. */
  readonly indent: number;
  /** The column of the mapping or list that this is in. */
  readonly parent: number;
  readonly write: (text: string, context: ScalarContext) => string;
}

/** What follows a colon or a dash: nothing, a blank and one line, or lines of their own. */
function node(data: Printable, place: Place): string {
  const { indent, parent, write } = place;
  if (typeof data === 'string') return afterBlank(write(data, { indent: parent, blockIndent: indent }));
  if (typeof data !== 'object' || data === null) return ` ${typeof data === 'number' ? numberText(data) : data}`;
  if (Array.isArray(data)) {
    const items = (data as readonly Printable[]).map((item) => sequenceItem(item, place));
    return items.length === 0 ? ' []' : block(items, indent);
  }
  const pairs: readonly (readonly [string, Printable])[] = data instanceof Map ? [...data] : Object.entries(data);
  const entries = pairs.map(([key, value]) => mappingEntry(key, value, place));
  return entries.length === 0 ? ' {}' : block(entries, indent);
}

/** Integers that need not be exact are written as what they are, floating-point numbers. */
function numberText(data: number): string {
  if (Object.is(data, -0)) return '-0';
  return Number.isInteger(data) && !Number.isSafeInteger(data) ? data.toExponential() : String(data);
}

function afterBlank(scalar: string): string {
  return scalar === '' ? '' : ` ${scalar}`;
}

function block(parts: readonly string[], indent: number): string {
  const margin = `\n${' '.repeat(indent)}`;
  return `${margin}${parts.join(margin)}`;
}

function mappingEntry(key: string, value: Printable, { indent, write }: Place): string {
  const inner = 4 * Math.floor((indent + 4) / 4);
  const rest = node(value, { indent: inner, parent: indent, write });
  if (isPlainKey(key)) return `${key}:${rest}`;
  if (isSimpleKey(key)) return `${write(key, { indent, blockIndent: inner, key: true })}:${rest}`;
  return `? ${write(key, { indent, blockIndent: inner })}\n${' '.repeat(indent)}:${rest}`;
}

function sequenceItem(item: Printable, { indent, write }: Place): string {
  const text = node(item, { indent: indent + 2, parent: indent, write });
  // What begins a line of its own can stand on the line of the dash: the columns fit.
  return text.startsWith('\n') ? `- ${withoutMargin(text)}` : `-${text}`;
}

/** Blanks and breaks only: what follows them may begin with other white space. */
function withoutMargin(text: string): string {
  return text.replace(/^\n? */, '');
}
