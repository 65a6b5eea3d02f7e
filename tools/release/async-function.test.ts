import { expect, it } from 'vitest';
import { inAsyncFunction } from './async-function.mjs';

it('keeps imports outside, and the rest in its order inside', () => {
  const program = "import { a } from 'a';\n\nconst b = await a();\nimport type { C } from 'c';\nconsole.log(b);\n";
  const [imports = '', body = ''] = inAsyncFunction(program).split('async function main() {');
  expect(imports.trim().split('\n')).toEqual(["import { a } from 'a';", "import type { C } from 'c';"]);
  expect(body.replace(/\s+/g, ' ').trim()).toBe('const b = await a(); console.log(b); } void main();');
});
