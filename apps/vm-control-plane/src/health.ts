import type { ControllerReport, RuntimeReport } from '@cosi-ts/runtime';

export interface Health {
  /** Every controller runs and hears of every change. */
  readonly ready: boolean;
  /** What stands against it. */
  readonly problems: readonly string[];
  readonly runtime: RuntimeReport;
}

export function healthOf(runtime: RuntimeReport): Health {
  const problems: string[] = [];
  if (runtime.status !== 'running') problems.push(`the controllers are ${runtime.status}`);
  for (const controller of runtime.controllers) {
    const problem = problemWith(controller);
    if (problem !== undefined) problems.push(`${controller.name} ${problem}`);
  }
  for (const { type, status, reason } of runtime.watches) {
    if (status !== 'live')
      problems.push(`the watch of ${type} is ${status}${reason === undefined ? '' : `: ${reason}`}`);
  }
  return { ready: problems.length === 0, problems, runtime };
}

function problemWith({ status, overdue }: ControllerReport): string | undefined {
  if (status !== 'running') return `is ${status}`;
  return overdue.length === 0 ? undefined : `ignores the deadline on ${overdue.length} items`;
}
