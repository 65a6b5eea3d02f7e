import type { Template } from '../expression/template.js';
import type { actionFields, companionFields, OwnActionKey, Waiting } from './action-syntax.js';
import type { Action } from './definition.js';
import type { SourceNode } from './source-node.js';
import { keyOffset, type Values } from './syntax/collections.js';
import type { Place } from './syntax/place.js';

type ActionValues = Values<typeof actionFields & typeof companionFields>;

const defaultShell: readonly string[] = Object.freeze(['sh', '-e']);

/** What the step does; undefined when that could not be read. @param kind undefined: nothing */
export function actionOf(kind: OwnActionKey | undefined, values: ActionValues): Action | undefined {
  const { with: arguments_ = new Map() } = values;
  switch (kind) {
    case undefined:
      return { kind: 'none', outputs: values.outputs ?? new Map() };
    case 'run':
      return (
        values.run && {
          kind,
          command: values.run,
          shell: values.shell ?? defaultShell,
          env: values.env ?? new Map(),
          secretEnv: values.secretEnv ?? new Map(),
          workingFolder: values.workingFolder,
        }
      );
    case 'http':
      return values.http;
    case 'function':
      return values.function === undefined ? undefined : { kind, function: values.function, with: arguments_ };
    case 'workflow':
      return values.workflow === undefined ? undefined : { kind, workflow: values.workflow, with: arguments_ };
    case 'sleep':
      return values.sleep;
    case 'sleepUntil':
      return values.sleepUntil;
    case 'wait':
      return waitOf(values.wait);
    case 'approve':
      return waitOf(values.approve);
  }
}

function waitOf(waiting: Waiting | undefined): Action | undefined {
  return waiting && { kind: 'wait', ...waiting };
}

/** What an executor does that was plugged in. */
export function otherActionOf(executor: string, config: Template | undefined): Action | undefined {
  return config === undefined ? undefined : { kind: 'other', executor, config };
}

/** The actions that a key belongs to. Others are the engine's own, and take no notice of it. */
const owners: Readonly<Record<string, readonly string[]>> = {
  shell: ['run'],
  env: ['run'],
  secretEnv: ['run'],
  workingFolder: ['run'],
  with: ['function', 'workflow'],
};

const enginesOwn: ReadonlySet<string | undefined> = new Set([
  undefined,
  'workflow',
  'sleep',
  'sleepUntil',
  'wait',
  'approve',
]);

const withoutFiles: ReadonlySet<string | undefined> = new Set([...enginesOwn, 'http', 'function']);

/** Reports keys that mean nothing for what the step does. */
export function checkCompanions(kind: string | undefined, values: ActionValues, node: SourceNode, place: Place): void {
  const refuse = (key: string, message: string): void => {
    const offset = keyOffset(node, key);
    if (offset !== undefined) place.at(key).problem(offset, message);
  };
  const doing = kind === undefined ? 'this step does nothing' : `this step has ${kind}`;
  for (const [key, of] of Object.entries(owners)) {
    if (kind === undefined || !of.includes(kind)) refuse(key, `${key} belongs to ${of.join(' and ')}, and ${doing}`);
  }
  if (kind !== undefined) {
    refuse(
      'outputs',
      `only a step that does nothing else has its outputs written down here: those of ${kind} come from what it does`,
    );
  }
  if (enginesOwn.has(kind)) {
    for (const key of ['runsOn', 'concurrency'])
      refuse(key, `${key} is for steps that an executor executes, and ${doing}`);
  }
  if (withoutFiles.has(kind)) refuse('artifacts', `artifacts are files of a process, and ${doing}`);
  if (kind === 'run' && values.run !== undefined && 'args' in values.run) {
    refuse('shell', 'no shell reads a list of arguments: write a script, or take shell away');
  }
  for (const name of values.secretEnv?.keys() ?? []) {
    if (values.env?.has(name) === true) refuse('secretEnv', `${name} is in env too: take one of them away`);
  }
  const waiting = kind === 'wait' ? values.wait : kind === 'approve' ? values.approve : undefined;
  if (waiting?.otherwise !== undefined && keyOffset(node, 'timeout') === undefined) {
    refuse(kind as string, 'otherwise is for when nothing came in time: write a timeout for the step');
  }
}
