import type { JsonValue } from '@cosi-ts/resource';
import type { Definition, RunAction, SecretReference, StepDefinition } from '../../definition/definition.js';
import type { Scope } from '../../expression/expression.js';
import { ActionReader } from '../action-reader.js';
import { templateText, templateTexts } from '../template-text.js';

/** What a `run` step does, as it is kept in the StepRun. It holds no text of a secret. */
export type RunActionJson = {
  /** For the shell; not together with `args`. */
  readonly script?: string;
  readonly shell?: readonly string[];
  /** A program and its arguments. */
  readonly args?: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly secretEnv: { readonly [name: string]: { readonly secret: string; readonly key: string } };
  readonly workingFolder?: string;
  readonly artifacts: readonly string[];
};

/** Throws an `ExpressionError`, or `invalid-argument` for what can never be executed. */
export function runAction(
  action: RunAction,
  step: Pick<StepDefinition, 'artifacts'>,
  definition: Pick<Definition, 'env'>,
  scope: Scope,
): RunActionJson {
  const { command, shell } = action;
  const json: RunActionJson = {
    ...('script' in command
      ? { script: templateText(command.script, scope), shell }
      : { args: command.args.map((arg) => templateText(arg, scope)) }),
    env: { ...templateTexts(definition.env, scope), ...templateTexts(action.env, scope) },
    secretEnv: Object.fromEntries([...action.secretEnv].map(([name, { secret, key }]) => [name, { secret, key }])),
    ...(action.workingFolder === undefined ? {} : { workingFolder: templateText(action.workingFolder, scope) }),
    artifacts: step.artifacts,
  };
  readRunAction(json);
  return json;
}

/** A program and its arguments; for a script the shell, which gets the script's file last. */
export interface RunCommand {
  readonly program: readonly string[];
  readonly script: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly secretEnv: Readonly<Record<string, SecretReference>>;
  readonly workingFolder: string | undefined;
  readonly artifacts: readonly string[];
}

const defaultShell = ['sh', '-e'];

/** Throws `invalid-argument`. */
export function readRunAction(action: JsonValue): RunCommand {
  const reader = new ActionReader('run', action);
  const script = reader.optionalText('script');
  const args = reader.texts('args');
  if ((script === undefined) === (args.length === 0)) {
    throw reader.wrong([], 'must have either a script or a program with its arguments');
  }
  const shell = reader.texts('shell');
  const program = script === undefined ? args : shell.length > 0 ? shell : defaultShell;
  const name = program[0] as string;
  if (name === '' || name.startsWith('-')) {
    throw reader.wrong([script === undefined ? 'args' : 'shell', 0], `cannot be the name of a program: "${name}"`);
  }
  program.forEach((arg, i) => {
    if (arg.includes('\0')) throw reader.wrong([script === undefined ? 'args' : 'shell', i], 'holds a NUL character');
  });
  const env = reader.textMap('env');
  const secretEnv = reader.secretMap('secretEnv');
  for (const [field, names] of Object.entries({ env, secretEnv })) {
    for (const [variable, value] of Object.entries(names)) {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) throw reader.wrong([field, variable], 'is no name of a variable');
      if (typeof value === 'string' && value.includes('\0')) {
        throw reader.wrong([field, variable], 'holds a NUL character, which no variable can');
      }
    }
  }
  const artifacts = reader.texts('artifacts');
  artifacts.forEach((path, i) => {
    if (!staysInside(path))
      throw reader.wrong(['artifacts', i], `must be a path inside of the working folder: "${path}"`);
  });
  const workingFolder = reader.optionalText('workingFolder');
  // It would be wherever the engine was started.
  if (workingFolder === '') throw reader.wrong(['workingFolder'], 'is empty');
  return { program, script, env, secretEnv, workingFolder, artifacts };
}

function staysInside(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length > 0 && !path.startsWith('/') && !path.includes('\0') && !parts.includes('..');
}
