import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import { compareRules, rulesOf } from './rules.js';
import type {} from './task-meta.js';

const columns = { name: 66, rules: 24, absent: 0 };

/** Prints a line for each state that a suite ran on, and one for each broken state or runtime. */
export default class TableReporter implements Reporter {
  onTestSuiteResult(suite: TestSuite): void {
    if (suite.parent.type !== 'module') return;
    const tests = [...suite.children.allTests()];
    if (tests.some((test) => test.meta().absent !== undefined)) print(stateLine(suite.name, tests));
  }

  onTestCaseResult(test: TestCase): void {
    if (isBroken(test)) print(brokenLine(test));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { readonly message: string }[]): void {
    const failed = modules.flatMap((module) => [...module.children.allTests('failed')]);
    for (const test of failed) print(`\nFAILED ${test.fullName}\n${errorsOf(test)}`);
    for (const error of unhandled) print(`\nUNHANDLED ${error.message}`);
    for (const module of modules) for (const error of module.errors()) print(`\n${error.message}`);
    const broken = modules.flatMap((module) => [...module.children.allTests()]).filter(isBroken);
    const caught = broken.filter((test) => test.result().state === 'passed').length;
    print(`\n${caught} of ${broken.length} broken states and runtimes were caught; ${failed.length} tests failed`);
  }
}

function print(line: string): void {
  console.log(line);
}

const isBroken = (test: TestCase): boolean => test.meta().caught !== undefined;

function stateLine(name: string, tests: readonly TestCase[]): string {
  const failing = new Set(
    tests.filter((test) => test.result().state === 'failed').flatMap((test) => rulesOf(test.name)),
  );
  const rules = [...new Set(tests.flatMap((test) => rulesOf(test.name)))].toSorted(compareRules);
  const passed = `${rules.length - failing.size} rules passed (${tests.length} tests)`;
  const absent = tests.find((test) => test.meta().absent !== undefined)?.meta().absent ?? [];
  const failed = failing.size === 0 ? 'nothing failed' : `FAILED: ${[...failing].toSorted(compareRules).join(' ')}`;
  return `${name.padEnd(columns.name)}  ${passed.padEnd(28)}  absent: ${absent.join(' ') || 'nothing'};  ${failed}`;
}

function brokenLine(test: TestCase): string {
  const { own = [], others = [] } = test.meta().caught ?? {};
  const [first = 'NOT CAUGHT'] = own;
  const more = own.length > 1 ? ` and ${own.length - 1} more of the rule` : '';
  const along = others.length > 0 ? `, ${others.length} others along` : '';
  const verdict = test.result().state === 'passed' ? 'caught by' : 'FAILED:';
  return `broken ${test.name.padEnd(columns.name)}  ${verdict} "${first}"${more}${along}`;
}

function errorsOf(test: TestCase): string {
  const { errors = [] } = test.result();
  return errors.map((error) => `  ${error.message.replaceAll('\n', '\n  ')}`).join('\n');
}
