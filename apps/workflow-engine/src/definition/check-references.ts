import { suggestion } from '../expression/near-names.js';
import type { Reference } from '../expression/references.js';
import { checkStepReference } from './check-step-references.js';
import type { InputDefinition } from './definition.js';
import type { ExpressionUse, Findings } from './syntax/place.js';
import type { ReadSteps } from './workflow-syntax.js';

/** What there is that expressions can speak of. */
export interface Known {
  /** Undefined: they could not be read. */
  readonly inputs: ReadonlyMap<string, InputDefinition> | undefined;
  readonly steps: ReadSteps;
  readonly finally: ReadSteps;
}

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  run: ['id', 'workflow', 'retries', 'trigger', 'createdAt', 'startedAt', 'state'],
  step: ['name', 'attempt'],
  error: ['reason', 'message', 'exitCode'],
};

/** Names that CEL has for its types. */
const types: ReadonlySet<string> = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
  'google',
]);

const elsewhere: Readonly<Record<string, string>> = {
  env: 'expressions know no variables of the environment: a script reads them itself, as $NAME',
  secrets: 'secrets are not for expressions: give them to a process with secretEnv, or to a request with secretHeaders',
  vars: 'write inputs',
  params: 'write inputs',
  parameters: 'write inputs',
  input: 'write inputs',
  needs: 'write steps',
  step: 'write steps',
  jobs: 'write steps',
  tasks: 'write steps',
  outputs: 'write steps.name.outputs',
  matrix: 'write item',
  workflow: 'write run.workflow',
  attempt: 'write step.attempt',
  github: 'write run.id, run.workflow, run.trigger or inputs',
  now: 'there is no time of day: write run.createdAt or run.startedAt',
};

/** What else people write for fields. */
const otherFields: Readonly<Record<string, string>> = {
  'run.name': 'run.workflow or run.id',
  'run.uid': 'run.id',
  'run.number': 'run.id',
  'run.attempt': 'run.retries, which is 0 at first, or step.attempt',
  'run.inputs': 'inputs',
  'run.priority': 'an input for it',
  'run.status': 'run.state, in steps of finally',
  'step.id': 'step.name',
  'step.index': 'index',
  'step.item': 'item',
  'step.outputs': 'steps.name.outputs',
};

/** Reports what expressions refer to that is not there where they stand. */
export function checkReferences(uses: readonly ExpressionUse[], known: Known, findings: Findings): void {
  for (const { expression, path } of uses) {
    for (const reference of expression.references) {
      const report = (offset: number, message: string): void => findings.report(offset, path, message);
      checkReference(reference, path, known, report);
    }
  }
}

type Report = (offset: number, message: string) => void;

function checkReference(reference: Reference, path: ExpressionUse['path'], known: Known, report: Report): void {
  const { root, offset } = reference;
  if (types.has(root)) return;
  const names = namesAt(path, known);
  if (!names.includes(root)) {
    report(offset, unknownRoot(root, names, path, known));
    return;
  }
  const [field] = reference.path;
  const at = reference.pathOffsets[0] ?? offset;
  if (field === undefined) return;
  switch (root) {
    case 'inputs':
      if (known.inputs !== undefined && !known.inputs.has(field))
        report(
          at,
          `there is no input ${field}${suggestion(field, known.inputs.keys()) || listed('the workflow has', [...known.inputs.keys()])}`,
        );
      return;
    case 'steps':
      checkStepReference(reference, path, known, report);
      return;
  }
  if (root === 'run' && field === 'state' && path[0] !== 'finally') {
    report(at, 'run.state is known in steps of finally only: before them the run is still on its way');
    return;
  }
  const fields = root === 'run' && path[0] === 'concurrency' ? ['id', 'workflow'] : fieldsOf[root];
  if (fields !== undefined && !fields.includes(field)) {
    const instead = otherFields[`${root}.${field}`];
    const advice = instead === undefined ? suggestion(field, fields) || listed('it has', fields) : `: write ${instead}`;
    report(
      at,
      `${root} has no ${field}${advice}${root === 'step' && known.steps.has(field) ? `; for the step ${field} write steps.${field}` : ''}`,
    );
  }
}

function listed(what: string, names: readonly string[]): string {
  return names.length === 0
    ? `; ${what} none`
    : `; ${what} ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' …' : ''}`;
}

/** The names of the scope that the engine evaluates an expression with, by where it stands. */
function namesAt(path: ExpressionUse['path'], known: Known): readonly string[] {
  const [section, name, key] = path;
  const names = ['inputs', 'run'];
  if (section !== 'steps' && section !== 'finally' && section !== 'outputs') return names;
  names.push('steps');
  // These are looked at once for a step, before it has executions.
  if (section === 'outputs' || key === 'when' || key === 'forEach') return names;
  names.push('step');
  const step = known[section].get(String(name));
  if (step?.hasItems) names.push('item', 'index');
  else if (step?.hasRounds) names.push('index');
  if (key === 'retry') names.push('error');
  return names;
}

function unknownRoot(root: string, names: readonly string[], path: ExpressionUse['path'], known: Known): string {
  const [, , key] = path;
  if (root === 'item' || (root === 'index' && key !== undefined)) {
    if (key === 'when' || key === 'forEach')
      return `${root} is not known here: ${key} is looked at once, before there are items`;
    const what = root === 'item' ? 'forEach' : 'forEach or repeat';
    return `${root} is known in steps with ${what} only: give this step one, or write what is meant instead of ${root}`;
  }
  if (root === 'error') return 'error is known in retry.when only: of a step that is over write steps.name.error';
  if (root === 'steps') return 'steps are not known here, for this is looked at before they are executed';
  if (known.inputs?.has(root) === true) return `there is no ${root} here; did you mean inputs.${root}?`;
  if (known.steps.has(root) || known.finally.has(root)) return `there is no ${root} here; did you mean steps.${root}?`;
  const advice = Object.hasOwn(elsewhere, root)
    ? `: ${elsewhere[root]}`
    : suggestion(root, names) || `; there are ${names.join(', ')}`;
  return `there is no ${root} here${advice}`;
}
