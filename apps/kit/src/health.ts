import type { RuntimeReport } from '@cosi-ts/runtime';

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
  for (const { part, name, status, reason } of runtime.health.parts) {
    if (status !== 'live')
      problems.push(`the ${part} ${name} is ${status}${reason === undefined ? '' : `: ${reason}`}`);
  }
  return { ready: problems.length === 0, problems, runtime };
}
