import { expect, it } from 'vitest';
import { parseDefinition } from './parse-definition.js';
import { problemExcerpt, problemLine } from './problem.js';

it('is shown with its line, and a mark under its place', () => {
  const source = 'name: demo\nsteps:\n  a:\n    run: x\n    retyr:\t1\n';
  const [problem] = parseDefinition(source).problems ?? [];
  if (problem === undefined) throw new Error('nothing is wrong');
  expect(problemLine(problem, 'demo.yaml')).toBe(
    'demo.yaml:5:5: steps.a.retyr: there is no key retyr; did you mean retry?',
  );
  expect(problemExcerpt(source, problem)).toBe('    retyr:\t1\n    ^');
  expect(problemExcerpt(source, { ...problem, column: 12 })).toBe('    retyr:\t1\n          \t^');
});

it('is shown with what is around it, where the line is long', () => {
  const source = `x: "${'a'.repeat(1000)}!${'b'.repeat(1000)}"`;
  const [line = '', mark = ''] = problemExcerpt(source, {
    line: 1,
    column: source.indexOf('!') + 1,
    offset: source.indexOf('!'),
    path: '',
    message: '',
  }).split('\n');
  expect(line).toBe(`${'a'.repeat(100)}!${'b'.repeat(99)}`);
  expect(line[mark.indexOf('^')]).toBe('!');
});
