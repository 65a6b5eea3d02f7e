/** The labels that tie the resources of a run together: fan-outs and runs are label queries. */
export const labels = Object.freeze({
  workflow: 'workflow',
  run: 'run',
  step: 'step',
  /** Of the executions of one step with items: {@link batchOf}. */
  batch: 'batch',
  /** Of a nested run: the run and the step execution that it belongs to, and the run that nobody else began. */
  parent: 'parent',
  parentStep: 'parent-step',
  root: 'root',
  /** Of a nested run: how many runs are around it. */
  depth: 'depth',
  /** Of a StepRun that a worker has: the name of its process. */
  worker: 'worker',
  /** Of a run that a schedule has made. */
  schedule: 'schedule',
  /** Of a run that is kept no longer: what belongs to it is being destroyed. */
  forgotten: 'forgotten',
  /** Begins the labels that say which workers may execute a step. */
  runsOn: 'runs-on.',
});

/** The value of the label `batch` of all executions of a step. */
export function batchOf(run: string, step: string): string {
  return `${run}.${step}`;
}

/** The id of one execution of a step, and of its result. @param index -1 for a step with neither items nor rounds */
export function executionId(run: string, step: string, index: number): string {
  return index < 0 ? `${run}.${step}` : `${run}.${step}.${index}`;
}

/** The id of a signal to a run. */
export function signalId(run: string, name: string): string {
  return `${run}.${name}`;
}
