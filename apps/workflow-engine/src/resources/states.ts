/** The states of a run; the last three are final. */
export const runStates = ['queued', 'running', 'paused', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const;
export type RunState = (typeof runStates)[number];

/** The states of one attempt of one execution of a step; the last four are final. */
export const resultStates = ['running', 'waiting', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type ResultState = (typeof resultStates)[number];

/** The states of a step of a run, all its executions together. */
export const stepStates = ['pending', 'running', 'waiting', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type StepState = (typeof stepStates)[number];

/** Why an attempt did not succeed. */
export const errorReasons = ['exit', 'timeout', 'lost', 'rejected', 'error', 'cancelled'] as const;
export type ErrorReason = (typeof errorReasons)[number];

const final: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);

/** Whether a run, a step or an attempt in this state has ended. */
export function isFinal(state: string): boolean {
  return final.has(state);
}
