import { isAlreadyExists, isNotFound, isVersionConflict, type TypedDraft, type TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { StepResultSpec, StepRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { StepResult } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { isFinal } from '../resources/states.js';
import { keepFirstStart, pastWith } from './run-resources.js';

/** What may be written of an attempt: everything but what says which attempt of what it is. */
export type AttemptResult = Partial<
  Pick<
    StepResultSpec,
    'state' | 'outputs' | 'error' | 'startedAt' | 'endedAt' | 'log' | 'pid' | 'worker' | 'waitingFor' | 'waitingUntil'
  >
>;

/** Whether a result of this attempt would be refused. */
export function isRefused(stored: Pick<StepResultSpec, 'attempt' | 'state'>, attempt: number): boolean {
  return stored.attempt > attempt || (stored.attempt === attempt && isFinal(stored.state));
}

/**
 * Writes what became of an attempt, unless a newer one is known, or its result is. Whoever declares an attempt lost does
 * so before there is a new one: from then on nothing can come from it.
 *
 * @param isKnown whether there is something written of the execution already, as far as the caller knows
 * @returns false when it was refused
 */
export async function writeResult(
  state: Pick<State, 'create' | 'updateWithConflicts'>,
  stepRun: TypedResource<StepRunSpec>,
  result: AttemptResult,
  isKnown = stepRun.spec.attempt > 1,
): Promise<boolean> {
  const pointer = StepResult.at(stepRun.metadata.id);
  let isNew = !isKnown;
  for (;;) {
    try {
      if (isNew) await state.create(newResult(stepRun, result));
      else await state.updateWithConflicts(pointer, (draft) => change(draft, stepRun, result), anyPhase);
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      if (isAlreadyExists(error)) isNew = false;
      else if (isNotFound(error)) isNew = true;
      else if (!isVersionConflict(error)) throw error;
    }
  }
}

/** Thrown out of a change to leave everything as it is. */
class Refused extends Error {}

const anyPhase = { expectedPhase: 'any' } as const;

function change(
  { spec }: TypedDraft<StepResultSpec>,
  stepRun: TypedResource<StepRunSpec>,
  result: AttemptResult,
): void {
  const { attempt, retries, uncounted } = stepRun.spec;
  if (isRefused(spec, attempt)) throw new Refused();
  if (spec.attempt !== attempt) {
    spec.past = pastWith(spec);
    spec.log = '';
    spec.pid = 0;
    spec.outputs = '';
    delete spec.error;
    delete spec.startedAt;
    delete spec.endedAt;
    // What ended an attempt before a retry of the run would end this one.
    delete spec.deadlineAt;
  }
  delete spec.nextAttemptAt;
  delete spec.waitingUntil;
  spec.waitingFor = '';
  Object.assign(spec, { attempt, retries, uncounted }, result);
  keepFirstStart(spec);
}

function newResult({ metadata, spec }: TypedResource<StepRunSpec>, result: AttemptResult) {
  const { run, step, index, attempt, retries, uncounted } = spec;
  const of: Record<string, string> = {};
  for (const name of [labels.run, labels.step, labels.workflow, labels.batch]) {
    const value = metadata.labels[name];
    if (value !== undefined) of[name] = value;
  }
  const { startedAt } = result;
  const first = startedAt === undefined ? {} : { firstStartedAt: startedAt };
  return StepResult.new(
    metadata.id,
    { run, step, index, attempt, retries, uncounted, ...result, ...first },
    { labels: of },
  );
}
