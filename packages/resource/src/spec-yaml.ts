import type { JsonValue } from './frozen-data.js';
import { isPlainKey, isSimpleKey, type ScalarContext, typedScalar, untypedScalar } from './yaml-scalar.js';

/** The YAML of JSON-like data, with the keys in their order and four columns to a level. It ends in a newline. */
export function specYaml(json: JsonValue): string {
  return `${withoutMargin(node(json, { blockIndent: 0, indent: 0, write: typedScalar }))}\n`;
}

/** What {@link untypedYaml} writes: texts, lists of them, and maps in the order of their entries. */
export type UntypedYaml = string | readonly UntypedYaml[] | ReadonlyMap<string, UntypedYaml>;

/** As {@link specYaml}, for texts that are read from their source text. */
export function untypedYaml(data: UntypedYaml): string {
  return `${withoutMargin(node(data, { blockIndent: 0, indent: 0, write: untypedScalar }))}\n`;
}

type Printable = JsonValue | UntypedYaml;

type Mapping = JsonObject | ReadonlyMap<string, UntypedYaml>;

interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** The columns are those of what is in a place: see {@link ScalarContext}. */
interface Place extends ScalarContext {
  readonly write: (text: string, context: ScalarContext) => string;
}

/** What follows a colon or a dash: nothing, a blank and one line, or lines of their own. */
function node(data: Printable, place: Place): string {
  if (typeof data === 'string') return afterBlank(place.write(data, place));
  if (typeof data !== 'object' || data === null) return ` ${typeof data === 'number' ? numberText(data) : data}`;
  if (Array.isArray(data)) return sequence(data as readonly Printable[], place) || ' []';
  return mapping(data as Mapping, place) || ' {}';
}

/** Integers that need not be exact are written as what they are, floating-point numbers. */
function numberText(data: number): string {
  if (Object.is(data, -0)) return '-0';
  return Number.isInteger(data) && !Number.isSafeInteger(data) ? data.toExponential() : String(data);
}

function afterBlank(scalar: string): string {
  return scalar === '' ? '' : ` ${scalar}`;
}

function mapping(data: Mapping, { blockIndent: indent, write }: Place): string {
  const inner: Place = { indent, blockIndent: 4 * Math.floor((indent + 4) / 4), write };
  const margin = marginOf(indent);
  let text = '';
  if (data instanceof Map) for (const [key, value] of data) text += margin + entry(key, value, inner);
  else {
    for (const key of Object.keys(data)) text += margin + entry(key, (data as JsonObject)[key] as JsonValue, inner);
  }
  return text;
}

function entry(key: string, value: Printable, place: Place): string {
  const rest = node(value, place);
  if (isPlainKey(key)) return `${key}:${rest}`;
  const { indent, blockIndent, write } = place;
  if (isSimpleKey(key)) return `${write(key, { indent, blockIndent, key: true })}:${rest}`;
  return `? ${write(key, { indent, blockIndent })}\n${' '.repeat(indent)}:${rest}`;
}

function sequence(items: readonly Printable[], { blockIndent, write }: Place): string {
  const inner: Place = { blockIndent: blockIndent + 2, indent: blockIndent, write };
  const margin = marginOf(blockIndent);
  let text = '';
  for (const item of items) {
    const own = node(item, inner);
    // What begins a line of its own can stand on the line of the dash: the columns fit.
    text += `${margin}${own.startsWith('\n') ? `- ${withoutMargin(own)}` : `-${own}`}`;
  }
  return text;
}

function marginOf(indent: number): string {
  return indent === 0 ? '\n' : `\n${' '.repeat(indent)}`;
}

/** Blanks and breaks only: what follows them may begin with other white space. */
function withoutMargin(text: string): string {
  let at = text.startsWith('\n') ? 1 : 0;
  while (text.charCodeAt(at) === 0x20) at++;
  return text.slice(at);
}
