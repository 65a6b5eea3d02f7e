// Prints how many tests of a vitest JSON report passed, failed and were skipped, and names those that did not pass on
// stderr.
import { readFileSync } from 'node:fs';

/** @type {{ testResults: { name: string, status: string, message: string, assertionResults: { status: string, fullName: string }[] }[] }} */
const report = JSON.parse(readFileSync(process.argv[2] ?? 'reports/vitest.json', 'utf8'));

const tests = report.testResults.flatMap((file) => file.assertionResults);
// A file that does not load has no tests of its own to fail.
const unloadable = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
const count = (/** @type {string} */ status) => tests.filter((test) => test.status === status).length;
const passed = count('passed');
const failed = count('failed');

for (const { status, fullName } of tests)
  if (status !== 'passed') console.error(`${status === 'failed' ? 'failed' : 'skipped'}: ${fullName}`);
for (const { name } of unloadable) console.error(`failed: ${name} does not load`);
console.log(passed, failed + unloadable.length, tests.length - passed - failed);
