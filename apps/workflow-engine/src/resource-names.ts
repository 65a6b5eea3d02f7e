/** What users call a type of resources. */
export function userName(type: string): string {
  return names[type.split('.', 1)[0] ?? ''] ?? type;
}

const names: Readonly<Record<string, string>> = {
  Workflows: 'workflow',
  WorkflowRuns: 'run',
  RunStatuses: 'status of the run',
  StepRuns: 'execution',
  StepResults: 'result of the execution',
  Signals: 'signal',
  Schedules: 'schedule',
  ScheduleStatuses: 'status of the schedule',
  Secrets: 'secret',
  Workers: 'worker',
};
