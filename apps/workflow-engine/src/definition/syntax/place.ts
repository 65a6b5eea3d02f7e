import type { Expression } from '../../expression/expression.js';
import { ExpressionError } from '../../expression/expression-error.js';
import type { Problem } from '../problem.js';
import type { Path } from './path.js';

/** An expression of a definition, and which part it belongs to. */
export interface ExpressionUse {
  readonly expression: Expression;
  readonly path: Path;
}

/** What reading a definition brings to light beside the definition. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly expressions: ExpressionUse[] = [];
  readonly #problem: (offset: number, path: Path, message: string) => Problem;

  constructor(problem: (offset: number, path: Path, message: string) => Problem) {
    this.#problem = problem;
  }

  report(offset: number, path: Path, message: string): void {
    this.problems.push(this.#problem(offset, path, message));
  }
}

/** The part of a definition that is being read. */
export class Place {
  readonly findings: Findings;
  readonly path: Path;

  constructor(findings: Findings, path: Path = []) {
    this.findings = findings;
    this.path = path;
  }

  at(key: string | number): Place {
    return new Place(this.findings, [...this.path, key]);
  }

  /** Reports a problem here. Gives undefined, as what could not be read. */
  problem(offset: number, message: string): undefined {
    this.findings.report(offset, this.path, message);
    return undefined;
  }

  expressionProblem(error: unknown): undefined {
    if (!(error instanceof ExpressionError)) throw error;
    return this.problem(error.offset, error.reason);
  }

  use(expressions: readonly Expression[]): void {
    for (const expression of expressions) this.findings.expressions.push({ expression, path: this.path });
  }
}
