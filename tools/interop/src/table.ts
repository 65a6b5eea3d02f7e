import type { Suite, TestOutcome } from './outcome.js';

/** What became of one suite. */
export interface SuiteResult {
  readonly suite: Suite;
  readonly outcomes: readonly TestOutcome[];
}

const columns = ['suite', 'direction', 'backend', 'tests', 'passed', 'failed', 'skipped', 'remarks'] as const;

const count = (outcomes: readonly TestOutcome[], verdict: TestOutcome['verdict']): number =>
  outcomes.filter((outcome) => outcome.verdict === verdict).length;

function rowOf({ suite, outcomes }: SuiteResult): readonly string[] {
  const noted = outcomes.filter(({ verdict, note }) => verdict !== 'failed' && note !== undefined);
  const remarks = [suite.remark, ...noted.map(({ title, note }) => `${title}: ${note}`)];
  return [
    suite.name,
    suite.direction,
    suite.backend,
    String(outcomes.length),
    ...(['passed', 'failed', 'skipped'] as const).map((verdict) => String(count(outcomes, verdict))),
    remarks.filter((remark) => remark !== undefined).join('; '),
  ];
}

/** The results as rows of a table in Markdown, whose columns are aligned. */
export function tableOf(results: readonly SuiteResult[]): string {
  const rows = [columns, ...results.map(rowOf)];
  const last = columns.length - 1;
  const widths = columns.map((_, i) => Math.max(3, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === last ? cell : cell.padEnd(widths[i] ?? 0))).join(' | ')} |`;
  const rule = line(columns.map((_, i) => '-'.repeat(i === last ? 3 : (widths[i] ?? 0))));
  const [head, ...body] = rows.map(line);
  return [head, rule, ...body].join('\n');
}

const [begin, end] = ['<!-- results -->', '<!-- end of results -->'];

/** The text with the table in place of the one between its marks. Throws when it has no marks. */
export function withTable(text: string, table: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new TypeError(`the text has no ${begin} … ${end}`);
  return `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`;
}

/** One line that sums up. */
export function summaryOf(results: readonly SuiteResult[]): string {
  const all = results.flatMap(({ outcomes }) => outcomes);
  const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((verdict) => count(all, verdict));
  return `${results.length} suites, ${all.length} tests: ${passed} passed, ${failed} failed, ${skipped} skipped`;
}
