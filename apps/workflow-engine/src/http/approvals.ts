import { Problem } from '@cosi-ts/app-kit';
import type { Definition } from '../definition/definition.js';
import { fixedSignalOf } from '../engine/signal-name.js';
import { wrong } from './body-fields.js';
import { type WaitingStep, type WaitView, waitingSteps } from './run-waits.js';

/** Which approval is meant: all that can be said of it, and nothing when there is only one. */
export interface AskedApproval {
  readonly step: string | undefined;
  /** Of a step with items. */
  readonly index: number | undefined;
}

export interface Approval {
  readonly step: string;
  readonly index: number;
  readonly signal: string;
}

/** The approval that is meant: one that the run waits for, or one that can be given in advance. Throws a {@link Problem}. */
export function approvalOf(
  run: string,
  definition: Definition,
  waits: readonly WaitView[],
  { step, index }: AskedApproval,
): Approval {
  const approvals = waitingSteps(definition).filter(({ action }) => action.approval !== undefined);
  const steps = approvals.map((each) => each.step);
  const named = step === undefined ? undefined : approvals.find((each) => each.step === step);
  if (step !== undefined && named === undefined) {
    const others = steps.length === 0 ? 'no step asks for an approval' : `there are ${steps.join(', ')}`;
    throw wrong('step', `step ${JSON.stringify(step)} asks for no approval; ${others}`);
  }
  const open = waits.filter(
    (wait) =>
      wait.approval &&
      (step === undefined || wait.step === step) &&
      (index === undefined || wait.index === index || wait.index < 0),
  );
  const [first] = open;
  if (first !== undefined && new Set(open.map(({ signal }) => signal)).size === 1) return first;
  if (first !== undefined) throw whichOf(run, open);
  const inAdvance = named === undefined ? undefined : signalInAdvance(named, index);
  if (named !== undefined && inAdvance !== undefined) {
    return { step: named.step, index: index ?? -1, signal: inAdvance };
  }
  throw new Problem(409, 'nothing-waits', `run ${run} waits for no ${step === undefined ? '' : 'such '}approval now`, {
    hint: hintInAdvance(named, steps),
  });
}

/** The signal that a step will wait for, where that is known before it does. */
function signalInAdvance({ definition }: WaitingStep, index: number | undefined): string | undefined {
  const fixed = fixedSignalOf(definition);
  if (fixed !== undefined || index === undefined || index < 0) return fixed;
  const { action, name } = definition;
  return action.kind === 'wait' && action.signal === undefined ? `${name}_${index}` : undefined;
}

function hintInAdvance(named: WaitingStep | undefined, steps: readonly string[]): string {
  if (named !== undefined) return 'say with "index" which of its items is meant, or wait until it asks';
  return steps.length === 0
    ? 'no step of it asks for one'
    : `it can be given in advance to ${steps.join(', ')}, by name`;
}

function whichOf(run: string, open: readonly WaitView[]): Problem {
  const steps = [...new Set(open.map(({ step }) => step))];
  const isOfItems = steps.length === 1;
  const indices = open.slice(0, 20).map(({ index }) => index);
  return new Problem(409, 'which-step', `run ${run} waits for ${open.length} approvals`, {
    field: isOfItems ? 'index' : 'step',
    hint: isOfItems
      ? `say which item of step ${steps[0]} is meant: index ${indices.join(', ')}${open.length > 20 ? ' …' : ''}`
      : `say which step is meant: ${steps.join(', ')}`,
  });
}
