import { type CelEnv, celEnv } from '@bufbuild/cel';
import { countedCalls } from './counted-calls.js';
import { functions } from './functions.js';

/** What every expression is evaluated with. */
export const environment: CelEnv = countedCalls(celEnv({ funcs: [...functions] }));

const names: ReadonlySet<string> = new Set(Array.from(environment.funcs, ({ name }) => name));

/** Macros are no functions, and are gone after parsing where they are used as they should be. */
export const macroNames: readonly string[] = ['has', 'all', 'exists', 'exists_one', 'map', 'filter', 'default'];

/** The names of functions and methods that people may write: those of operators are not among them. */
export const functionNames: readonly string[] = [...names].filter((name) => /^[A-Za-z]/.test(name)).sort();

/** Whether there is a function, method or operator of the name. */
export function isFunction(name: string): boolean {
  return names.has(name);
}

/**
 * What is wrong with how a function is called, whatever it is called with; undefined: nothing.
 * @param onValue whether it is called on a value, as a method
 */
export function whyNotCallable(name: string, onValue: boolean, count: number): string | undefined {
  const overloads = Array.from(environment.funcs.find(name) ?? []);
  const fitting = overloads.filter(({ target }) => (target !== undefined) === onValue);
  if (fitting.length === 0) {
    return onValue
      ? `${name} is not called on a value: write ${name}(…)`
      : `${name} is called on a value: write value.${name}(…)`;
  }
  const counts = [...new Set(fitting.map((overload) => overload.arguments.length))].sort((a, b) => a - b);
  if (counts.includes(count)) return undefined;
  const wanted = counts.length === 1 && counts[0] === 0 ? 'nothing' : counts.join(' or ');
  return `${name} takes ${wanted}${wanted === 'nothing' ? '' : counts.at(-1) === 1 ? ' argument' : ' arguments'}, not ${count}`;
}
