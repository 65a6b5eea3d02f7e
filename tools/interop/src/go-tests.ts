import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestOutcome } from './outcome.js';

/** Which of Go's tests are run, and against which servers. */
export interface GoTestRun {
  readonly program: string;
  /** Where servers are made. */
  readonly control: string;
  readonly backend: string;
  /** A pattern for `-test.run`. */
  readonly tests: string;
  /** A pattern for the methods of a suite, or all. */
  readonly methods?: string | undefined;
}

/** Lines of a test's own output that are kept for its note. */
const keptLines = 40;

/** Runs a program of Go's testing package. Its parents of tests are left out of what it gives. */
export async function runGoTests(run: GoTestRun, onOutcome: (outcome: TestOutcome) => void): Promise<TestOutcome[]> {
  const methods = run.methods === undefined ? [] : ['-testify.m', run.methods];
  const child = spawn(run.program, ['-test.v', '-test.timeout=5m', '-test.run', run.tests, ...methods], {
    env: { ...process.env, COSI_INTEROP_CONTROL: run.control, COSI_INTEROP_BACKEND: run.backend },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const reader = new GoTestReader(onOutcome);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => reader.line(line));
  }
  const exitCode = await ended;
  return reader.outcomes(exitCode);
}

/** Reads what `go test -v` prints. */
export class GoTestReader {
  readonly #outcomes: TestOutcome[] = [];
  readonly #output = new Map<string, string[]>();
  readonly #begun = new Set<string>();
  readonly #onOutcome: (outcome: TestOutcome) => void;
  #current = '';

  constructor(onOutcome: (outcome: TestOutcome) => void) {
    this.#onOutcome = onOutcome;
  }

  line(line: string): void {
    const [, running] = /^=== (?:RUN|CONT|NAME|PAUSE)\s+(\S+)/.exec(line) ?? [];
    if (running !== undefined) {
      this.#current = running;
      this.#begun.add(running);
      return;
    }
    const [, verdict, title = '', took] = /^\s*--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)/.exec(line) ?? [];
    if (verdict === undefined) {
      const lines = this.#output.get(this.#current) ?? [];
      lines.push(line.trim());
      this.#output.set(this.#current, lines);
      return;
    }
    this.#begun.delete(title);
    this.#end({
      title,
      verdict: verdict === 'PASS' ? 'passed' : verdict === 'FAIL' ? 'failed' : 'skipped',
      note: verdict === 'PASS' ? undefined : this.#noteOf(title),
      tookMs: Number(took) * 1000,
    });
  }

  /** The tests without those that only hold others, and one more for a program that failed otherwise. */
  outcomes(exitCode: number | null): TestOutcome[] {
    for (const title of this.#begun) {
      this.#end({ title, verdict: 'failed', note: `it did not end\n${this.#noteOf(title)}`, tookMs: 0 });
    }
    const holders = new Set(this.#outcomes.flatMap(({ title }) => ancestors(title)));
    const leaves = this.#outcomes.filter(
      ({ title, verdict }) => !holders.has(title) || (verdict === 'failed' && !this.#childFailed(title)),
    );
    if (exitCode !== 0 && !leaves.some(({ verdict }) => verdict === 'failed')) {
      leaves.push({
        title: 'the program',
        verdict: 'failed',
        note: `exit code ${exitCode}\n${this.#noteOf(this.#current)}`,
        tookMs: 0,
      });
    }
    return leaves;
  }

  #childFailed(title: string): boolean {
    return this.#outcomes.some((each) => each.verdict === 'failed' && each.title.startsWith(`${title}/`));
  }

  #end(outcome: TestOutcome): void {
    this.#outcomes.push(outcome);
    this.#onOutcome(outcome);
  }

  #noteOf(title: string): string {
    return (this.#output.get(title) ?? []).slice(-keptLines).join('\n');
  }
}

function ancestors(title: string): string[] {
  const parts = title.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}
