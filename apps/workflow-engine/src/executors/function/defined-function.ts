import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../../json.js';
import type { Attempt } from '../executor.js';
import type { StepLogger } from '../logs/attempt-log.js';

export type FunctionLog = StepLogger;

export interface FunctionContext {
  /**
   * Aborts when the attempt is to end. A function that goes on nevertheless cannot be ended: after the grace time its
   * attempt counts as ended, another one may begin, and its result is refused.
   */
  readonly signal: AbortSignal;
  readonly attempt: Attempt;
  /** The same for all attempts of the execution: what has an effect elsewhere takes it along. */
  readonly idempotencyKey: string;
  /** The folder with the artifacts of the steps that are over, as `<step>/…`. Not there when none of them has any. */
  readonly artifacts: string;
  readonly log: FunctionLog;
  /** The text of a secret. Rejects when there is none. */
  secret(name: string, key: string): Promise<string>;
}

/** What a handler gives: its outputs, as JSON; nothing is no outputs. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement gives void
export type FunctionResult = JsonObject | undefined | void;

export interface FunctionDefinition<Input> {
  /** By which steps call it. */
  readonly name: string;
  /** Checks `with` of the step, and gives the handler what it makes of it. Default: any is taken as it is. */
  readonly input?: StandardSchemaV1<unknown, Input>;
  /**
   * Rejecting makes the attempt fail with the reason `error`, and with a {@link RejectedError} for good. It runs in the
   * engine's own thread: work that takes long without waiting holds up everything else, and belongs into a process.
   */
  readonly handler: (input: Input, context: FunctionContext) => Promise<FunctionResult> | FunctionResult;
}

/** A function whose input nobody but itself knows. */
export interface DefinedFunction {
  readonly name: string;
  /** Rejects with a {@link RejectedError} when the input is refused. */
  call(input: JsonObject, context: FunctionContext): Promise<FunctionResult> | FunctionResult;
}

/** Made by a handler for what can never succeed: no other attempt is made. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError';
}

/** By its name, so that it may come from a plugin with a class of its own. */
export function isRejected(error: unknown): boolean {
  return error instanceof Error && error.name === 'RejectedError';
}

export function defineFunction<Input = JsonObject>(definition: FunctionDefinition<Input>): DefinedFunction {
  const { name, input: schema, handler } = definition;
  if (schema === undefined) return { name, call: (input, context) => handler(input as Input, context) };
  return {
    name,
    call(input, context) {
      const result = schema['~standard'].validate(input);
      if ('then' in result) return result.then((late) => handler(accepted(name, late), context));
      return handler(accepted(name, result), context);
    },
  };
}

function accepted<Input>(name: string, result: StandardSchemaV1.Result<Input>): Input {
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ path = [], message }) => {
    const where = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  throw new RejectedError(`the input of the function ${name} is refused: ${problems.join('; ')}`);
}
