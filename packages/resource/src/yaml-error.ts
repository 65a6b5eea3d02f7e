import { InvalidArgumentError } from './errors.js';
import type { SpecPath } from './spec-path.js';

/** Where something is in a stream of YAML documents, everything counted from 1. */
export interface YamlPosition {
  readonly document: number;
  readonly line: number;
  readonly column: number;
}

/** Text that is not the YAML of resources. Its code is `invalid-argument`. */
export class YamlError extends InvalidArgumentError implements YamlPosition {
  readonly document: number;
  readonly line: number;
  readonly column: number;

  constructor(
    /** What is wrong, without the position. */
    readonly reason: string,
    position: YamlPosition,
    details: { readonly cause?: unknown; readonly path?: SpecPath | undefined } = {},
  ) {
    const { document, line, column } = position;
    super(`document ${document}, line ${line}, column ${column}: ${reason}`, details);
    this.document = document;
    this.line = line;
    this.column = column;
  }
}
