import { parse } from '@bufbuild/cel';
import fc from 'fast-check';
import { it } from 'vitest';
import { spell } from './spelling.js';
import { checkSyntax } from './syntax.js';
import { SyntaxProblem, tokensOf } from './tokens.js';

const words = [
  'a',
  'x.b',
  '1',
  '.5',
  '1.5e3',
  '"t"',
  "r'\\'",
  'true',
  'null',
  'in',
  '+',
  '-',
  '!',
  '*',
  '==',
  '<',
  '&&',
  '||',
];
const marks = ['?', ':', '(', ')', '[', ']', '{', '}', ',', '.', ' ', '\n', '// c\n', 'f(', 'a.map(x, x)'];

/** Expressions that hold together, so that not all that is generated is wrong. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', '1', '2.5', "'t'", 'true', 'a.b', 'steps.x["y"]'),
    tie('expression').map((e) => `(${e})`),
    tie('expression').map((e) => `!${e}`),
    tie('expression').map((e) => `f(${e}, 1)`),
    tie('expression').map((e) => `[${e}].size()`),
    tie('expression').map((e) => `{'k': ${e}}.k`),
    fc.tuple(tie('expression'), fc.constantFrom('+', '&&', '<', ' in ', '%'), tie('expression')).map((e) => e.join('')),
    fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([a, b, c]) => `${a} ? (${b}) : ${c}`),
  ),
}));

function isRead(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof SyntaxProblem) return false;
    throw error;
  }
}

it('reads what holds together', () => {
  fc.assert(fc.property(expression, (source) => isRead(() => checkSyntax(tokensOf(source)))));
});

it('reads nothing that the parser of CEL would refuse, so that its messages are never needed', () => {
  const broken = fc
    .tuple(expression, fc.nat(), fc.constantFrom(...words, ...marks, ''), fc.nat(2))
    .map(([source, n, put, taken]) => {
      const at = n % (source.length + 1);
      return source.slice(0, at) + put + source.slice(at + taken);
    });
  const jumbled = fc.array(fc.constantFrom(...words, ...marks), { maxLength: 8 }).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(fc.oneof(expression, broken, jumbled), (source) => {
      if (isRead(() => checkSyntax(tokensOf(source)))) parse(spell(tokensOf(source)).text);
    }),
    { numRuns: 2000 },
  );
}, 30_000);
