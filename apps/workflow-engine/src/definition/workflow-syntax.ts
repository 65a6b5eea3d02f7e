import type { Template } from '../expression/template.js';
import { environment } from './action-syntax.js';
import { runConcurrency } from './concurrency-syntax.js';
import type { Concurrency, InputDefinition } from './definition.js';
import { inputsSyntax } from './input-syntax.js';
import { hintsOfWorkflows } from './misplaced-keys.js';
import { nodeName, outputName } from './names.js';
import type { SourceNode } from './source-node.js';
import { ownStepFields } from './step-fields.js';
import { type ReadStep, stepSyntax } from './step-syntax.js';
import { dictionary, type Field, hasKey, type ObjectSyntax, object } from './syntax/collections.js';
import type { Place } from './syntax/place.js';
import { duration, integer, prose } from './syntax/scalars.js';
import type { Syntax } from './syntax/syntax.js';
import { anyTemplate } from './syntax/templates.js';

/** Steps by name, in their order. Undefined: a step that could not be read, though its name is known. */
export type ReadSteps = ReadonlyMap<string, ReadEntry>;
export interface ReadEntry {
  readonly step: ReadStep | undefined;
  /** Where its name is. */
  readonly keyOffset: number;
  /** Whether it has `forEach`, and `repeat`, readable or not. */
  readonly hasItems: boolean;
  readonly hasRounds: boolean;
}

type WorkflowFields = {
  readonly name: Field<string>;
  readonly description: Field<string>;
  readonly inputs: Field<ReadonlyMap<string, InputDefinition>>;
  readonly env: Field<ReadonlyMap<string, Template>>;
  readonly concurrency: Field<Concurrency>;
  readonly priority: Field<number>;
  readonly timeout: Field<number>;
  readonly steps: Field<ReadSteps>;
  readonly finally: Field<ReadSteps>;
  readonly outputs: Field<ReadonlyMap<string, Template>>;
};

const known = new Map<string, ObjectSyntax<WorkflowFields>>();

/** The syntax of a whole workflow. @param executors names of executors that were plugged in */
export function workflowSyntax(executors: readonly string[]): ObjectSyntax<WorkflowFields> {
  const key = JSON.stringify(executors);
  const syntax = known.get(key) ?? makeSyntax(executors);
  known.set(key, syntax);
  return syntax;
}

function makeSyntax(executors: readonly string[]): ObjectSyntax<WorkflowFields> {
  const steps = stepsSyntax(stepSyntax(executors));
  return object<WorkflowFields>(
    'a workflow: a map with name and steps',
    {
      name: { syntax: nodeName, required: true, doc: 'The name of the workflow.', also: ['id', 'workflow'] },
      description: { syntax: prose, doc: 'What it is for.' },
      inputs: {
        syntax: inputsSyntax,
        doc: 'What a run is given, by name: `inputs.name` in expressions.',
        also: ['parameters', 'params', 'arguments'],
      },
      env: { syntax: environment, doc: 'Variables of every process.', also: ['environment', 'variables'] },
      concurrency: {
        syntax: runConcurrency,
        doc: 'Runs with the same key wait for each other: the key, or a map with `key`, `limit` and `policy`.',
        also: ['mutex', 'lock', 'synchronization'],
      },
      priority: {
        syntax: integer,
        doc: 'Of ready executions, those of runs with the higher priority are started first.',
        default: 0,
      },
      timeout: {
        syntax: duration,
        doc: 'How long a run may take.',
        also: ['deadline', 'timeoutMinutes', 'activeDeadlineSeconds'],
      },
      steps: {
        syntax: steps,
        required: true,
        doc: 'The steps, by name. Their order is that of `needs`, not that of the file.',
        also: ['jobs', 'tasks', 'stages', 'nodes'],
      },
      finally: {
        syntax: steps,
        doc: 'Steps that are executed when all of `steps` are over, whatever the outcome.',
        also: ['onExit', 'cleanup', 'always', 'after'],
      },
      outputs: {
        syntax: dictionary('a map of outputs', outputName, anyTemplate),
        doc: 'What a run that has succeeded gives, by name.',
        also: ['results'],
      },
    },
    { noun: 'a workflow', hints: hintsOfWorkflows, extensible: true },
  );
}

function stepsSyntax(step: Syntax<ReadStep>): Syntax<ReadSteps> {
  const wanted = 'a map from names to steps';
  const entry: Syntax<ReadEntry> = {
    ...step,
    read: (node, place) => ({
      step: isOneStep(node, place) ? oneStep(node, place) : step.read(node, place),
      keyOffset: node.offset,
      hasItems: hasKey(node, 'forEach'),
      hasRounds: hasKey(node, 'repeat'),
    }),
  };
  const map = dictionary(wanted, nodeName, entry);
  return {
    ...map,
    schema: { ...map.schema, minProperties: 1 },
    read(node, place) {
      if (node.kind === 'list')
        return place.problem(node.offset, `this must be ${wanted}, not a list: write build: instead of - name: build`);
      if (node.kind === 'map' && node.entries.length === 0)
        return place.problem(node.offset, `this must be ${wanted}, and not empty`);
      const read = map.read(node, place);
      if (read === undefined) return undefined;
      const offsets = new Map(node.kind === 'map' ? node.entries.map((entry) => [entry.key, entry.keyOffset]) : []);
      return new Map(Array.from(read, ([name, of]) => [name, { ...of, keyOffset: offsets.get(name) ?? of.keyOffset }]));
    },
  };
}

/** Whether what a step does is written where its name should be. */
function isOneStep({ kind }: SourceNode, { path }: Place): boolean {
  return kind !== 'map' && kind !== 'null' && kind !== 'invalid' && Object.hasOwn(ownStepFields, String(path.at(-1)));
}

function oneStep({ offset }: SourceNode, place: Place): undefined {
  const key = String(place.path.at(-1));
  return place.problem(offset, `this must be a step, and steps have names: write NAME: { ${key}: … }`);
}
