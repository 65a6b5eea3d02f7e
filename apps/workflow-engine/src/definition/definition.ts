import type { JsonValue } from '@cosi-ts/resource';
import type { Expression } from '../expression/expression.js';
import type { Template } from '../expression/template.js';
import type { JsonObject } from '../json.js';

/** A workflow, read and found to be sound: every name in it is there, and every expression can be evaluated. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputs: ReadonlyMap<string, InputDefinition>;
  /** In the order in which they are written, which is no order of execution: that is what `needs` says. */
  readonly steps: ReadonlyMap<string, StepDefinition>;
  /** Run when all of `steps` are over, however they ended, also when the run was cancelled. */
  readonly finally: ReadonlyMap<string, StepDefinition>;
  /** What a run that has succeeded gives. */
  readonly outputs: ReadonlyMap<string, Template>;
  /** Of every process. */
  readonly env: ReadonlyMap<string, Template>;
  /** Runs with the same key wait for each other. */
  readonly concurrency: Concurrency | undefined;
  readonly priority: number;
  /** How long a run may take from its beginning; then it fails, as if each of its steps had timed out. */
  readonly timeoutMs: number | undefined;
}

export interface InputDefinition {
  readonly type: 'string' | 'number' | 'boolean' | 'list' | 'object';
  readonly description: string;
  /** Undefined: it must be given. */
  readonly default: JsonValue | undefined;
  /** What it may be; empty: anything of its type. */
  readonly options: readonly JsonValue[];
}

export interface Concurrency {
  readonly key: Template;
  /** How many at once. Default: 1. */
  readonly limit: number;
  /** What a new run does when there is no room. Of a step always `wait`. Default: `wait`. */
  readonly policy: 'wait' | 'cancel-running' | 'refuse';
}

export interface StepDefinition {
  readonly name: string;
  readonly needs: Needs;
  /** When, by the outcome of what it needs, the step is executed rather than skipped. Default: `success`. */
  readonly on: 'success' | 'failure' | 'always';
  /** An expression: the step is skipped where it is false. Looked at when all is there that it needs. */
  readonly when: Expression | undefined;
  readonly forEach: ForEach | undefined;
  readonly repeat: Repeat | undefined;
  readonly retry: Retry;
  /** How long one attempt may take. */
  readonly timeoutMs: number | undefined;
  /** How long all attempts of one execution may take together, the pauses between them included. */
  readonly deadlineMs: number | undefined;
  /** A failure of the step does not make the run fail, and what needs it is executed. */
  readonly continueOnError: boolean;
  readonly concurrency: Concurrency | undefined;
  readonly priority: number;
  /** Labels that a worker must serve; empty: the engine itself executes the step. */
  readonly runsOn: ReadonlyMap<string, string>;
  /** Paths in the working folder of a process that are kept for the steps after it. */
  readonly artifacts: readonly string[];
  readonly action: Action;
}

/** What must be over before a step begins. */
export interface Needs {
  readonly steps: readonly string[];
  /** How many of them must have succeeded: all, or so many. Once they have, the others are not waited for. */
  readonly join: 'all' | number;
  /** The others are cancelled then. */
  readonly cancelRest: boolean;
}

/** One execution for each item of a list. */
export interface ForEach {
  /** Gives the list. */
  readonly items: Template;
  /** How many at once. Default: as many as the engine takes. */
  readonly parallel: number | undefined;
  /** After so many failed items, no other is begun, and the step fails. Default: 0, after the first. */
  readonly maxFailures: number;
}

/** Executions one after the other, each with its round as `index`, until one of them is said to be the last. */
export interface Repeat {
  /** Looked at after each round; the outputs of the round are those of the step. */
  readonly until: Expression;
  /** The step fails when so many rounds were not enough. Default: 1000. */
  readonly limit: number;
  readonly delayMs: number;
}

export interface Retry {
  /** How many attempts after the first. Default: 0. Those that were lost are made again without being counted. */
  readonly limit: number;
  readonly backoff: { readonly initialMs: number; readonly factor: number; readonly maxMs: number };
  /** After which failures. Default: `exit`, `error` and `timeout`. */
  readonly on: readonly ('exit' | 'error' | 'timeout')[];
  /** Over `error` (its `reason`, `message` and `exitCode`): whether to try again. */
  readonly when: Expression | undefined;
}

/** What a step does. The first three are for executors; the others are the engine's own. */
export type Action =
  | RunAction
  | HttpAction
  | FunctionAction
  | { readonly kind: 'workflow'; readonly workflow: string; readonly with: ReadonlyMap<string, Template> }
  | { readonly kind: 'sleep'; readonly duration: Template }
  | { readonly kind: 'sleepUntil'; readonly time: Template }
  | WaitAction
  /** For an executor that was plugged in; its configuration is passed on with its templates evaluated. */
  | { readonly kind: 'other'; readonly executor: string; readonly config: Template }
  /** Nothing: a point where others meet, or a place for outputs. */
  | { readonly kind: 'none'; readonly outputs: ReadonlyMap<string, Template> };

export interface RunAction {
  readonly kind: 'run';
  /** A script for the shell, or a program and its arguments, which no shell reads. */
  readonly command: { readonly script: Template } | { readonly args: readonly Template[] };
  /** What reads the script: a program and its arguments, which gets the script's file last. Default: `sh -e`. */
  readonly shell: readonly string[];
  readonly env: ReadonlyMap<string, Template>;
  /** Variables of the process with texts of secrets: the secret and its key. */
  readonly secretEnv: ReadonlyMap<string, SecretReference>;
  /** Default: an empty folder of the attempt's own. */
  readonly workingFolder: Template | undefined;
}

export interface HttpAction {
  readonly kind: 'http';
  readonly method: string;
  readonly url: Template;
  readonly headers: ReadonlyMap<string, Template>;
  readonly secretHeaders: ReadonlyMap<string, SecretReference>;
  /** Text as it is; anything else as JSON. */
  readonly body: Template | undefined;
  /** Which statuses are a success. Default: 200 to 299. */
  readonly expect: readonly { readonly from: number; readonly to: number }[];
}

export interface FunctionAction {
  readonly kind: 'function';
  readonly function: string;
  readonly with: ReadonlyMap<string, Template>;
}

/** Waits for a signal to the run. */
export interface WaitAction {
  readonly kind: 'wait';
  /** Undefined: the step's own name, with items and the index. */
  readonly signal: Template | undefined;
  /** For an approval: what is asked. A payload of `{"approved": false}` refuses it, and the step fails. */
  readonly approval: Template | undefined;
  /** Its outputs are those of the step when nothing came in time. Undefined: the step fails then. */
  readonly otherwise: JsonObject | undefined;
}

export interface SecretReference {
  readonly secret: string;
  readonly key: string;
}
