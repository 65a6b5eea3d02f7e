import type { Template } from '../expression/template.js';
import { actionOf, checkCompanions, otherActionOf } from './action-reading.js';
import { actionFields, type OwnActionKey } from './action-syntax.js';
import type { Action, StepDefinition } from './definition.js';
import { hintsOfSteps } from './misplaced-keys.js';
import { defaultRetry } from './retry-syntax.js';
import type { SourceNode } from './source-node.js';
import { ownStepFields, type StepValues, stepFields } from './step-fields.js';
import { type Fields, hasKey, keyOffset, object, type Values } from './syntax/collections.js';
import type { JsonSchema } from './syntax/json-schema.js';
import type { Place } from './syntax/place.js';
import { orList } from './syntax/scalars.js';
import { type Located, mapped, named, type Syntax } from './syntax/syntax.js';

/** In the message of a key that may be an executor's. */
export const noExecutor = 'nor an executor that is plugged in';

/** A step as it was read, with what can only be checked against other steps. */
export interface ReadStep {
  readonly definition: StepDefinition;
  /** Undefined: what it needs could not be read. */
  readonly needs: readonly Located<string>[] | undefined;
  /** Whether all of its keys are known: otherwise one of them may have been meant as what it does. */
  readonly isKnown: boolean;
  /** Where the keys of `with` are. */
  readonly argumentOffsets: ReadonlyMap<string, number>;
}

export function stepSyntax(executors: readonly string[]): Syntax<ReadStep> {
  const fields = object('a map that says what the step does', stepFields(executors), {
    noun: `a step, ${noExecutor}`,
    hints: without(hintsOfSteps, executors),
  });
  const actions = [...Object.keys(actionFields), ...executors];
  const syntax = mapped(fields, (values, node, place) =>
    readStep(values as StepValues & Values<Fields>, node, place, actions),
  );
  return named('step', { ...syntax, schema: { ...fields.schema, ...actionRules(actions) } });
}

function without(hints: Readonly<Record<string, string>>, keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(hints).filter(([key]) => !keys.includes(key)));
}

/** Exactly one action, or none; and no companion of an action that is not there. */
function actionRules(actions: readonly string[]): JsonSchema {
  const has = (key: string): JsonSchema => ({ required: [key] });
  const none: JsonSchema = { not: { anyOf: actions.map(has) }, anyOf: [has('outputs'), has('needs')] };
  return {
    oneOf: [...actions.map(has), none],
    dependencies: {
      shell: ['run'],
      env: ['run'],
      secretEnv: ['run'],
      workingFolder: ['run'],
      with: { anyOf: [has('function'), has('workflow')] },
      outputs: { not: { anyOf: actions.map(has) } },
    },
  };
}

function readStep(
  values: StepValues & Values<Fields>,
  node: SourceNode,
  place: Place,
  actions: readonly string[],
): ReadStep | undefined {
  const present = actions.filter((key) => hasKey(node, key));
  const [kind, second] = present;
  if (second !== undefined) {
    place
      .at(second)
      .problem(
        keyOffset(node, second) ?? node.offset,
        `a step does one thing, and this one has ${orList(present).replace(' or ', ' and ')}: make two steps of it`,
      );
  }
  // A key that is not known may be an action that was meant.
  if (kind === undefined && !hasKey(node, 'outputs') && !hasKey(node, 'needs') && isKnown(node, actions)) {
    place.problem(
      node.offset,
      `the step does nothing: give it one of ${orList(actions)}, or outputs, or needs to make it a point where others meet`,
    );
  }
  if (second === undefined) checkCompanions(kind, values, node, place);
  checkTiming(values, node, place);
  const name = String(place.path.at(-1));
  const action = readAction(kind, values);
  const { needs: needed, forEach: each, repeat: rounds } = values;
  if (hasKey(node, 'forEach') && hasKey(node, 'repeat')) {
    place
      .at('repeat')
      .problem(
        keyOffset(node, 'repeat') ?? node.offset,
        'a step has either forEach or repeat: make a workflow of what is repeated, and run that for each item',
      );
  }
  if (action === undefined) return undefined;
  return {
    needs: hasKey(node, 'needs') ? needed?.names : [],
    isKnown: isKnown(node, actions),
    argumentOffsets: argumentOffsets(node),
    definition: {
      name,
      needs: {
        steps: (needed?.names ?? []).map(({ value }) => value),
        join: needed?.join ?? 'all',
        cancelRest: needed?.cancelRest ?? false,
      },
      on: values.on?.value ?? 'success',
      when: values.when,
      forEach: each,
      repeat: rounds,
      retry: values.retry ?? defaultRetry,
      timeoutMs: values.timeout,
      deadlineMs: values.deadline,
      continueOnError: values.continueOnError ?? false,
      concurrency: values.concurrency,
      priority: values.priority ?? 0,
      runsOn: values.runsOn ?? new Map(),
      artifacts: values.artifacts ?? [],
      action,
    },
  };
}

function argumentOffsets(node: SourceNode): ReadonlyMap<string, number> {
  const given = node.kind === 'map' ? node.entries.find(({ key }) => key === 'with')?.value : undefined;
  return new Map(given?.kind === 'map' ? given.entries.map(({ key, keyOffset: at }) => [key, at]) : []);
}

function checkTiming(values: StepValues, node: SourceNode, place: Place): void {
  const { on } = values;
  if (on?.value === 'failure' && (!hasKey(node, 'needs') || values.needs?.names.length === 0)) {
    const advice =
      place.path[0] === 'finally'
        ? "take it away, and write when: run.state == 'failed'"
        : 'write which steps it needs, or take it away';
    on.place.problem(on.offset, `a step that needs nothing is never executed on failure: ${advice}`);
  }
}

function readAction(kind: string | undefined, values: StepValues & Values<Fields>): Action | undefined {
  return kind === undefined || Object.hasOwn(actionFields, kind)
    ? actionOf(kind as OwnActionKey | undefined, values)
    : otherActionOf(kind, values[kind] as Template | undefined);
}

function isKnown(node: SourceNode, actions: readonly string[]): boolean {
  if (node.kind !== 'map') return false;
  return node.entries.every(({ key }) => Object.hasOwn(ownStepFields, key) || actions.includes(key));
}
