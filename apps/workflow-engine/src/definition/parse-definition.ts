import type { Template } from '../expression/template.js';
import { checkCalls, type KnownWorkflows } from './check-calls.js';
import { checkComparisons } from './check-comparisons.js';
import { checkNeeds } from './check-needs.js';
import { checkRecursion } from './check-recursion.js';
import { checkReferences } from './check-references.js';
import type { Definition, StepDefinition } from './definition.js';
import type { Problem } from './problem.js';
import { readYaml } from './read-yaml.js';
import { Findings, Place } from './syntax/place.js';
import { type ReadSteps, workflowSyntax } from './workflow-syntax.js';

export interface ParseOptions {
  /** Names of executors that were plugged in, and so are keys of steps. Default: none. */
  readonly executors?: readonly string[];
  /** Other workflows, so that what is given to them can be checked. The workflow itself is known to itself. Default: none. */
  readonly workflows?: KnownWorkflows;
  /**
   * Whether a run has begun by it, maybe when an earlier version read it. Then only that counts as a problem which makes
   * it impossible to go on; expressions that cannot be read fail when they are evaluated. Default: false.
   */
  readonly isBegun?: boolean;
}

/** A definition, or everything that is wrong with it, in the order of the text. */
export type ParsedDefinition =
  | { readonly definition: Definition; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly definition?: undefined };

const none: ReadSteps = new Map();

type ReadWorkflow = NonNullable<ReturnType<ReturnType<typeof workflowSyntax>['read']>>;

/** What is longer takes seconds to read, on the thread that everything else is done by, and each run keeps a copy. */
const longest = 2 * 1024 * 1024;
const mostProblems = 200;

/** Reads a definition. It never throws: what is wrong with the text is told as problems. */
export function parseDefinition(
  source: string,
  { executors = [], workflows, isBegun = false }: ParseOptions = {},
): ParsedDefinition {
  if (source.length > longest) return { problems: [tooLong] };
  const { root, problems, problem } = readYaml(source);
  const findings = new Findings(problem, isBegun);
  findings.problems.push(...problems);
  if (root === undefined) {
    if (problems.length === 0) findings.report(0, [], 'there is nothing here: a workflow is a map with name and steps');
    return { problems: inOrder(findings.problems) };
  }
  const values = workflowSyntax(executors).read(root, new Place(findings));
  const { steps = none, finally: last = none } = values ?? {};
  checkNeeds({ steps, finally: last }, findings);
  if (isBegun) return parsed(values, { steps, last }, findings);
  checkRecursion(values?.name, steps, findings);
  const inputs = values?.inputs === undefined && has(root, 'inputs') ? undefined : (values?.inputs ?? new Map());
  const known = new Map(workflows);
  if (values?.name !== undefined) known.delete(values.name);
  if (values?.name !== undefined && inputs !== undefined) known.set(values.name, inputs);
  checkCalls({ steps, finally: last }, known, findings);
  checkReferences(findings.expressions, { inputs, steps, finally: last }, findings);
  checkComparisons(findings.expressions, inputs, findings);
  return parsed(values, { steps, last }, findings);
}

function parsed(
  values: ReadWorkflow | undefined,
  { steps, last }: { readonly steps: ReadSteps; readonly last: ReadSteps },
  findings: Findings,
): ParsedDefinition {
  if (findings.problems.length > 0 || values?.name === undefined) return { problems: inOrder(findings.problems) };
  return {
    definition: {
      name: values.name,
      description: values.description ?? '',
      inputs: values.inputs ?? new Map(),
      steps: definitionsOf(steps),
      finally: definitionsOf(last),
      outputs: values.outputs ?? new Map<string, Template>(),
      env: values.env ?? new Map<string, Template>(),
      concurrency: values.concurrency,
      priority: values.priority ?? 0,
      timeoutMs: values.timeout,
    },
  };
}

function has(
  root: { readonly kind: string; readonly entries?: readonly { readonly key: string }[] },
  key: string,
): boolean {
  return root.entries?.some((entry) => entry.key === key) === true;
}

function definitionsOf(steps: ReadSteps): ReadonlyMap<string, StepDefinition> {
  return new Map(
    Array.from(steps).flatMap(([name, { step }]) => (step === undefined ? [] : [[name, step.definition] as const])),
  );
}

const tooLong: Problem = {
  line: 1,
  column: 1,
  offset: 0,
  path: '',
  message: `a definition has at most ${longest} characters: give data as inputs, or leave them to scripts`,
};

/** The first of them: nobody reads thousands. */
function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => a.offset - b.offset).slice(0, mostProblems);
}
