import { label } from '@cosi-ts/resource';
import type { CallOptions } from '@cosi-ts/state';
import type { Definition, StepDefinition, WaitAction } from '../definition/definition.js';
import { find } from '../resources/find.js';
import { batchOf, labels, StepResult } from '../resources/index.js';
import { executionId } from '../resources/labels.js';
import type { FindState } from './run-view.js';
import { timeText } from './time-text.js';

/** Something that a run waits for and somebody can give. */
export interface WaitView {
  readonly step: string;
  readonly index: number;
  /** The name of the signal. */
  readonly signal: string;
  /** Whether it is an approval, which can be refused. */
  readonly approval: boolean;
  /** What is asked or waited for, in words. */
  readonly question: string;
  readonly until: string | null;
}

export interface WaitingStep {
  readonly step: string;
  readonly definition: StepDefinition;
  readonly action: WaitAction;
  readonly executions: 'one' | 'many';
}

/** The steps of a definition that wait for signals. */
export function waitingSteps(definition: Definition): readonly WaitingStep[] {
  return [...definition.steps.values(), ...definition.finally.values()].flatMap((step: StepDefinition) =>
    step.action.kind === 'wait'
      ? [
          {
            step: step.name,
            definition: step,
            action: step.action,
            executions: step.forEach === undefined && step.repeat === undefined ? ('one' as const) : ('many' as const),
          },
        ]
      : [],
  );
}

/** What a run waits for now. */
export async function waitsOf(
  state: FindState,
  run: string,
  definition: Definition,
  options: CallOptions,
): Promise<readonly WaitView[]> {
  const waits = await Promise.all(
    waitingSteps(definition).map(async ({ step, action, executions }) => {
      const results =
        executions === 'many'
          ? await state.list(StepResult.kind, { ...options, labels: [label(labels.batch).is(batchOf(run, step))] })
          : [await find(state, StepResult.at(executionId(run, step, -1)), options)];
      return results.flatMap((result): readonly WaitView[] => {
        if (result?.spec.state !== 'waiting') return [];
        const { index, signal, waitingFor, waitingUntil } = result.spec;
        return [
          {
            step,
            index,
            signal,
            approval: action.approval !== undefined,
            question: waitingFor,
            until: timeText(waitingUntil),
          },
        ];
      });
    }),
  );
  return waits.flat();
}
