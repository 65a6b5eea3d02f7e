import { exitCodes } from './exit-codes.js';

/** A command cannot be done, and the message says all that a user needs: no stack is shown. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: number = exitCodes.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Nobody answers at the address of the engine. */
export class NoEngineError extends CommandError {
  override readonly name = 'NoEngineError';

  constructor(url: string, options?: ErrorOptions) {
    const how = 'start it with "npm run workflow" (or "workflow serve"), or name another one with --server URL';
    super(`no workflow engine answers at ${url}: ${how}`, exitCodes.noEngine, options);
  }
}

interface ProblemBody {
  readonly detail?: string;
  readonly hint?: string;
  readonly code?: string;
  readonly problems?: readonly {
    readonly line?: number;
    readonly column?: number;
    readonly path?: string;
    readonly message: string;
  }[];
}

/** The engine said no. */
export class EngineError extends CommandError {
  override readonly name = 'EngineError';
  readonly code: string;

  constructor(
    readonly status: number,
    body: ProblemBody,
  ) {
    const hint = body.hint === undefined ? '' : `\n  ${body.hint}`;
    super(`${body.detail ?? `the engine answered with status ${status}`}${hint}`);
    this.code = body.code ?? '';
  }
}
