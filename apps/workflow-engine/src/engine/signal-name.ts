import { InvalidArgumentError } from '@cosi-ts/resource';
import type { Definition, StepDefinition, WaitAction } from '../definition/definition.js';
import { signalNameAdvice, signalNamePattern } from '../definition/names.js';
import type { Scope } from '../expression/expression.js';

type WaitingStep = Pick<StepDefinition, 'name' | 'forEach'>;

/**
 * The name of the signal that an execution waits for. Where nothing is said it is that of the step, with items an
 * underscore and the index after it: `ask_0`. Throws what an expression throws, and `invalid-argument` for what can be no
 * name.
 */
export function signalNameOf(step: WaitingStep, action: WaitAction, index: number, scope: Scope): string {
  if (action.signal === undefined) return step.forEach === undefined ? step.name : `${step.name}_${index}`;
  const value = action.signal.evaluate(scope);
  const name = typeof value === 'string' ? value : JSON.stringify(value);
  if (signalNamePattern.test(name)) return name;
  throw new InvalidArgumentError(`${JSON.stringify(name)} cannot be the name of a signal: ${signalNameAdvice}`);
}

/** The name, where it is the same for all executions and known before there are any. */
export function fixedSignalOf({ action, ...step }: WaitingStep & Pick<StepDefinition, 'action'>): string | undefined {
  if (action.kind !== 'wait') return undefined;
  if (action.signal === undefined) return step.forEach === undefined ? step.name : undefined;
  return action.signal.expressions.length === 0 ? signalNameOf(step, action, -1, {}) : undefined;
}

/** The signals that a run can wait for. */
export interface ExpectedSignals {
  readonly fixed: ReadonlySet<string>;
  /** Whether there are others, whose names the run itself makes. */
  readonly hasOthers: boolean;
}

export function expectedSignals({ steps, finally: last }: Pick<Definition, 'steps' | 'finally'>): ExpectedSignals {
  const waiting = [...steps.values(), ...last.values()].filter(({ action }) => action.kind === 'wait');
  const names = waiting.map(fixedSignalOf);
  return { fixed: new Set(names.filter((name) => name !== undefined)), hasOthers: names.includes(undefined) };
}
