import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('shows the controller and the test that are run here', () => {
  const read = (path: string) => readFileSync(`${import.meta.dirname}/${path}`, 'utf8');
  const readme = read('../README.md');
  expect(readme).toContain(read('testdata/invoices.ts'));
  expect(readme).toContain(read('testdata/invoices-vitest.test.ts'));
  expect(read('testdata/invoices-vitest.test.ts').split('\n').length).toBeLessThan(25);
});
