import { Problem } from '@cosi-ts/app-kit';
import { isAlreadyExists, type TypedResource } from '@cosi-ts/resource';
import type { CallOptions, Random, State } from '@cosi-ts/state';
import { runControllerName } from '../controllers/run-controller.js';
import type { Definition } from '../definition/definition.js';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { inputProblemsText, resolveInputs } from '../definition/inputs.js';
import type { WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import type { JsonObject } from '../json.js';
import { find } from '../resources/find.js';
import { labels, Workflow, WorkflowRun } from '../resources/index.js';
import { wrong } from './body-fields.js';
import { definitionIn } from './workflow-text.js';

/** What someone wants to be run: a workflow by its name as it is now, or a definition as it came with the request. */
export interface NewRun {
  readonly workflow?: string | undefined;
  readonly source?: string | undefined;
  readonly id?: string | undefined;
  readonly inputs: JsonObject;
  readonly priority: number;
  readonly paused: boolean;
}

export interface NewRunContext {
  readonly state: State;
  readonly random: Random;
  readonly definitions: DefinitionCache;
}

/** Ids of runs are parts of other ids, where dots have a meaning. */
const idPattern = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$/;
const idAttempts = 5;

/**
 * Makes a run, when its definition and its inputs are in order: who asks is told at once what is wrong, instead of by a
 * run that fails. Rejects with a {@link Problem}, and with `already-exists` for an id that is taken.
 */
export async function makeRun(
  wanted: NewRun,
  { state, random, definitions }: NewRunContext,
  options: CallOptions,
): Promise<TypedResource<WorkflowRunSpec>> {
  const source = wanted.source ?? (await sourceOf(wanted.workflow ?? '', state, options));
  const definition = definitionIn(source, definitions);
  checkInputs(definition, wanted.inputs);
  if (wanted.id !== undefined && !idPattern.test(wanted.id)) {
    throw wrong('id', 'must be up to 100 letters, digits, dashes and underscores, with a letter or digit at both ends');
  }
  for (let attempt = 1; ; attempt++) {
    const run = WorkflowRun.new(
      wanted.id ?? `${definition.name}-${suffix(random)}`,
      {
        workflow: definition.name,
        source,
        inputs: JSON.stringify(wanted.inputs),
        priority: wanted.priority,
        paused: wanted.paused,
        trigger: 'user',
      },
      { labels: { [labels.workflow]: definition.name }, finalizers: [runControllerName] },
    );
    try {
      return await state.create(run, options);
    } catch (error) {
      // Names that were made up may meet; one that somebody chose is his.
      if (wanted.id !== undefined || !isAlreadyExists(error) || attempt === idAttempts) throw error;
    }
  }
}

async function sourceOf(name: string, state: State, options: CallOptions): Promise<string> {
  const workflow = await find(state, Workflow.at(name), options);
  if (workflow !== undefined) return workflow.spec.source;
  throw new Problem(404, 'not-found', `there is no workflow ${JSON.stringify(name)}`, {
    field: 'workflow',
    hint: 'GET /workflows lists those that there are; POST /workflows adds one',
  });
}

function checkInputs(definition: Definition, inputs: JsonObject): void {
  const { problems } = resolveInputs(definition, inputs);
  if (problems === undefined) return;
  throw new Problem(400, 'invalid-inputs', `the inputs are wrong: ${inputProblemsText(problems)}`, {
    field: `inputs.${problems[0]?.input ?? ''}`,
    hint: `${inputsText(definition)}; the run was not made`,
    more: { problems },
  });
}

/** Which inputs there are, and what each may be. */
function inputsText({ name, inputs }: Definition): string {
  const texts = Array.from(inputs, ([input, { type, default: initial, options }]) => {
    const values = options.length === 0 ? type : options.map((option) => JSON.stringify(option)).join(' or ');
    return `${input} (${values}${initial === undefined ? '' : `, else ${JSON.stringify(initial)}`})`;
  });
  return `the inputs of ${name} are ${texts.join(', ') || 'none'}`;
}

/** Easy to type, and without vowels, so that it is no word. */
const letters = 'bcdfghjkmnpqrstvwxz23456789';

function suffix(random: Random): string {
  return Array.from(random.bytes(6), (byte) => letters[byte % letters.length]).join('');
}
