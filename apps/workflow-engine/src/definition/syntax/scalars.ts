import { suggestion } from '../../expression/near-names.js';
import { hasExpressions } from '../../expression/template-parts.js';
import { durationMs } from '../duration.js';
import { either, mapped, type Syntax, scalar } from './syntax.js';

/** A text in which expressions have no meaning. */
export function plainText(wanted: string): Syntax<string> {
  return scalar(wanted, ['text'], { type: 'string', minLength: 1 }, (node, place) => {
    const { text } = node.text;
    if (text.trim() === '') return place.problem(node.offset, `this must be ${wanted}, and not empty`);
    if (hasExpressions(text)) {
      const at = node.text.at(text.indexOf('${{'));
      return place.problem(at, 'expressions are not evaluated here: write the value itself');
    }
    return text;
  });
}

/** Words for people: anything, also nothing. */
export const prose: Syntax<string> = scalar('a text', ['text'], { type: 'string' }, ({ text }) => text.text);

/**
 * A text of a certain form.
 * @param advice what to write, when it has not that form
 * @param repaired what was meant, perhaps
 */
export function textLike(
  wanted: string,
  pattern: RegExp,
  advice: string,
  repaired: (text: string) => string = (text) => text,
): Syntax<string> {
  const text = plainText(wanted);
  return {
    ...mapped(text, (value, node, place) => {
      if (pattern.test(value)) return value;
      const better = repaired(value);
      const meant = better !== value && pattern.test(better) ? `; did you mean ${better}?` : '';
      return place.problem(node.offset, `${value} is not ${wanted}: ${advice}${meant}`);
    }),
    schema: { type: 'string', pattern: pattern.source },
  };
}

export const boolean: Syntax<boolean> = scalar(
  'true or false',
  ['boolean'],
  { type: 'boolean' },
  ({ value }) => value === true,
);

/** A whole number. */
export function count(wanted: string, minimum: number): Syntax<number> {
  return scalar(wanted, ['number'], { type: 'integer', minimum }, (node, place) => {
    const value = Number(node.value);
    if (Number.isSafeInteger(value) && value >= minimum) return value;
    return place.problem(node.offset, `this must be ${wanted}, not ${node.written}`);
  });
}

export const integer: Syntax<number> = scalar('a whole number', ['number'], { type: 'integer' }, (node, place) =>
  Number.isSafeInteger(node.value)
    ? Number(node.value)
    : place.problem(node.offset, `this must be a whole number, not ${node.written}`),
);

/** One of some words. @param others what else people write for them */
export function word<const W extends string>(
  words: readonly W[],
  others: Readonly<Record<string, NoInfer<W>>> = {},
): Syntax<W> {
  const wanted = orList(words);
  return scalar(wanted, ['text'], { enum: words }, (node, place) => {
    const { text } = node.text;
    const found = words.find((candidate) => candidate === text);
    if (found !== undefined) return found;
    const meant = Object.hasOwn(others, text) ? `; did you mean ${others[text]}?` : suggestion(text, words);
    return place.problem(node.offset, `this must be ${wanted}, not ${text}${meant}`);
  });
}

/** `a, b or c`. */
export function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const wantedDuration = 'a duration like 90s, 5m, 1h30m or 2d';

/** In milliseconds, more than nothing. */
export const duration: Syntax<number> = durationFrom(1);
/** In milliseconds; `0s` is one, too. */
export const pause: Syntax<number> = durationFrom(0);

function durationFrom(minimum: number): Syntax<number> {
  const text: Syntax<number> = scalar(
    wantedDuration,
    ['text'],
    {
      type: 'string',
      pattern: '^(\\d+(\\.\\d+)?d)?(\\d+(\\.\\d+)?h)?(\\d+(\\.\\d+)?m)?(\\d+(\\.\\d+)?s)?(\\d+(\\.\\d+)?ms)?$',
      minLength: 2,
    },
    (node, place) => {
      const plain = plainText(wantedDuration).read(node, place);
      if (plain === undefined) return undefined;
      const ms = durationMs(plain);
      if (ms === undefined)
        return place.problem(node.offset, `this must be ${wantedDuration}, not ${JSON.stringify(node.text.text)}`);
      return ms >= minimum ? ms : place.problem(node.offset, 'this must be longer than nothing');
    },
  );
  const number: Syntax<number> = scalar(wantedDuration, ['number'], {}, (node, place) =>
    place.problem(
      node.offset,
      `${node.written} has no unit: write ${node.written}s for seconds, or ${node.written}m for minutes`,
    ),
  );
  return either(wantedDuration, { text, number }, text.schema);
}
