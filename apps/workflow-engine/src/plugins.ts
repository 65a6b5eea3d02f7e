import { pathToFileURL } from 'node:url';
import { StartError } from '@cosi-ts/app-kit';
import { ownStepFields } from './definition/step-fields.js';
import type { Executor } from './executors/executor.js';
import {
  type DefinedFunction,
  defineFunction,
  type FunctionDefinition,
} from './executors/function/defined-function.js';

/** What modules bring along that `--plugin` names. */
export interface Plugins {
  readonly functions: readonly DefinedFunction[];
  readonly executors: readonly Executor[];
}

const form = 'export const functions = [{ name, handler }], or export const executors = [{ name, execute }]';

/**
 * Imports modules, and gives their exports `functions` and `executors`, or those of their default export. Rejects with a
 * {@link StartError} that says which module is wrong, and what to write.
 * @param files absolute paths
 */
export async function loadPlugins(files: readonly string[]): Promise<Plugins> {
  const functions = new Map<string, DefinedFunction>();
  const executors = new Map<string, Executor>();
  for (const file of files) {
    const exported = await exportsOf(file);
    for (const each of listOf(exported.functions, file, 'functions')) {
      const defined = asFunction(each, file);
      addTo(functions, defined, `the function ${defined.name}`, file);
    }
    for (const each of listOf(exported.executors, file, 'executors')) {
      const executor = asExecutor(each, file);
      addTo(executors, executor, `the executor ${executor.name}`, file);
    }
  }
  return { functions: [...functions.values()], executors: [...executors.values()] };
}

/** What may be in a module, as far as it is looked at. */
interface Exports {
  readonly default?: unknown;
  readonly functions?: unknown;
  readonly executors?: unknown;
}

/** What may be a function or an executor. */
interface Part {
  readonly name?: unknown;
  readonly call?: unknown;
  readonly handler?: unknown;
  readonly execute?: unknown;
}

async function exportsOf(file: string): Promise<Exports> {
  let module: Exports;
  try {
    module = (await import(pathToFileURL(file).href)) as Exports;
  } catch (error) {
    throw new StartError(`the plugin ${file} cannot be imported: ${whyNot(error)}`, { cause: error });
  }
  const { default: all } = module;
  const exported: Exports = isObject(all) ? { ...all, ...module } : module;
  if (exported.functions === undefined && exported.executors === undefined) {
    throw new StartError(`the plugin ${file} exports neither functions nor executors: write ${form}`);
  }
  return exported;
}

function whyNot(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return 'it must be JavaScript; compile TypeScript first';
  return String(message ?? error);
}

function listOf(value: unknown, file: string, what: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new StartError(`${what} of the plugin ${file} must be a list: write ${form}`);
}

function asFunction(value: unknown, file: string): DefinedFunction {
  if (isNamed(value)) {
    if (typeof value.call === 'function') return value as unknown as DefinedFunction;
    if (typeof value.handler === 'function') return defineFunction(value as unknown as FunctionDefinition<never>);
  }
  throw new StartError(`a function of the plugin ${file} has no name or no handler: write ${form}`);
}

function asExecutor(value: unknown, file: string): Executor {
  if (!isNamed(value) || typeof value.execute !== 'function') {
    throw new StartError(`an executor of the plugin ${file} has no name or no execute: write ${form}`);
  }
  const { name } = value;
  if (Object.hasOwn(ownStepFields, name)) {
    throw new StartError(
      `an executor of the plugin ${file} cannot have the name ${name}: steps have a key of that name`,
    );
  }
  return value as unknown as Executor;
}

function addTo<T extends { readonly name: string }>(all: Map<string, T>, one: T, what: string, file: string): void {
  if (all.has(one.name))
    throw new StartError(`${what} of the plugin ${file} is there twice: give one of them another name`);
  all.set(one.name, one);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isNamed(value: unknown): value is Part & { readonly name: string } {
  if (!isObject(value)) return false;
  const { name } = value as Part;
  return typeof name === 'string' && name !== '';
}
