import { type Expression, laxExpression } from '../../expression/expression.js';
import { ExpressionError } from '../../expression/expression-error.js';
import type { SourceText } from '../../expression/source-text.js';
import { unclosedMessage } from '../../expression/template-parts.js';
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

  /** Whether the definition is one that something has begun by, which an earlier version may have read. */
  readonly isBegun: boolean;

  constructor(problem: (offset: number, path: Path, message: string) => Problem, isBegun = false) {
    this.#problem = problem;
    this.isBegun = isBegun;
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

  /** Of an expression in a template. May give what takes its place. */
  unreadable(error: ExpressionError, source: SourceText): Expression | undefined {
    const isBegun = this.findings.isBegun && error.reason !== unclosedMessage;
    return isBegun ? laxExpression(source) : this.expressionProblem(error);
  }

  use(expressions: readonly Expression[]): void {
    for (const expression of expressions) this.findings.expressions.push({ expression, path: this.path });
  }
}
