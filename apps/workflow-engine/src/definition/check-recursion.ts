import type { Findings } from './syntax/place.js';
import type { ReadSteps } from './workflow-syntax.js';

/** Reports a step that runs its own workflow in any case: each run of it would begin another. */
export function checkRecursion(workflow: string | undefined, steps: ReadSteps, findings: Findings): void {
  for (const [name, { step, keyOffset }] of steps) {
    if (step === undefined || step.needs === undefined || step.needs.length > 0) continue;
    const { action, when } = step.definition;
    if (action.kind !== 'workflow' || action.workflow !== workflow || when !== undefined) continue;
    const message = `the workflow runs itself in any case, and would never end: write when this is to be, like when: inputs.depth > 0`;
    findings.report(keyOffset, ['steps', name, 'workflow'], message);
  }
}
