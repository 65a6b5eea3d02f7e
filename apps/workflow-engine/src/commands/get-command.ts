import type { JsonValue } from '@cosi-ts/resource';
import { resolveInputs } from '../definition/inputs.js';
import { parseDefinition } from '../definition/parse-definition.js';
import type { ExecutionView } from '../http/execution-view.js';
import type { RunDetail, StepView } from '../http/run-detail.js';
import type { RunView } from '../http/run-view.js';
import type { ScheduleView } from '../http/schedule-view.js';
import type { WorkflowView } from '../http/workflow-view.js';
import type { JsonObject } from '../json.js';
import type { ClientCommand, CommandContext } from './command-context.js';
import { part } from './engine-client.js';
import { CommandError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { type OutputFormat, printAs, printList } from './print-data.js';
import { waitForRun } from './run-command.js';
import { exitCodeOf } from './run-outcome.js';
import { markOf, stepText } from './step-line.js';
import type { Column } from './table.js';
import { paintState } from './terminal.js';
import { agoText, tookText } from './times.js';

export const things = ['runs', 'run', 'workflows', 'workflow', 'steps', 'schedules', 'secrets', 'workers'] as const;
export type Thing = (typeof things)[number];

export interface GetFlags {
  readonly output: OutputFormat;
  readonly wait?: boolean;
  readonly workflow?: string;
  readonly state?: string;
  readonly nested?: boolean;
  readonly limit: number;
  readonly offset?: number;
}

/** Shows what there is. */
export function getCommand(thing: Thing, names: readonly string[], flags: GetFlags): ClientCommand {
  return async (context) => {
    const [name, step] = names;
    switch (thing) {
      case 'runs':
        return name === undefined ? getRuns(flags, context) : getRun(name, flags, context);
      case 'run':
        return getRun(needed(name, 'a run'), flags, context);
      case 'steps':
        return step === undefined
          ? getSteps(needed(name, 'a run'), flags, context)
          : getExecutions(needed(name, 'a run'), step, flags, context);
      case 'workflows':
        return name === undefined ? getWorkflows(flags, context) : getWorkflow(name, flags, context);
      case 'workflow':
        return getWorkflow(needed(name, 'a workflow'), flags, context);
      case 'schedules':
        return getSchedules(flags, context);
      case 'secrets':
        return getSecrets(flags, context);
      case 'workers':
        return getWorkers(flags, context);
    }
  };
}

function needed(name: string | undefined, what: string): string {
  if (name !== undefined) return name;
  throw new CommandError(
    `which one? Name ${what}; "workflow get runs" and "workflow get workflows" list them`,
    exitCodes.usage,
  );
}

function query(parts: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parts).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

async function getRuns(flags: GetFlags, { client, terminal }: CommandContext): Promise<number> {
  const { workflow, state, nested, limit, output } = flags;
  const runs: RunView[] = [];
  let total = 0;
  for (let after: string | null | undefined; after !== null && runs.length < limit; ) {
    const page = await client.get<{ runs: RunView[]; total: number; next: string | null }>(
      `/runs${query({ workflow, state, nested, limit: Math.min(500, limit - runs.length), after })}`,
    );
    runs.push(...page.runs);
    ({ next: after, total } = page);
  }
  const nowMs = Date.now();
  const columns: readonly Column<RunView>[] = [
    { title: 'RUN', text: ({ id }) => id },
    { title: 'WORKFLOW', text: (run) => run.workflow },
    { title: 'STATE', text: (run) => run.state, isState: true },
    { title: 'STEPS', text: stepsText },
    { title: 'BEGAN', text: ({ created }) => agoText(created, nowMs) },
    { title: 'TOOK', text: ({ startedAt, endedAt }) => tookText(startedAt, endedAt, nowMs) },
    { title: 'MESSAGE', text: messageText },
  ];
  printList(runs, columns, { format: output, none: 'there are no runs: "workflow run FILE" begins one' }, terminal);
  if (output === 'table' && total > runs.length) terminal.note(`${runs.length} of ${total}: --limit shows more`);
  return exitCodes.ok;
}

/** Why it failed, or which steps it waits in. */
function messageText({ message, steps }: RunView): string {
  const waiting = steps.filter(({ state }) => state === 'waiting').map(({ step }) => step);
  return message !== '' || waiting.length === 0 ? message : `waits in ${waiting.join(', ')}`;
}

function stepsText({ steps }: RunView): string {
  const over = steps.filter(({ state }) => state !== 'pending' && state !== 'running' && state !== 'waiting').length;
  return steps.length === 0 ? '' : `${over}/${steps.length}`;
}

async function getRun(id: string, flags: GetFlags, context: CommandContext): Promise<number> {
  const { client, terminal } = context;
  const first = await client.get<RunDetail>(`/runs/${part(id)}`);
  if (flags.wait === true && flags.output === 'table') return waitForRun(id, context);
  if (flags.wait === true)
    await waitForRun(id, {
      ...context,
      terminal: { ...terminal, isLive: false, print: () => undefined, note: () => undefined },
    });
  const run = flags.wait === true ? await client.get<RunDetail>(`/runs/${part(id)}`) : first;
  const code = flags.wait === true ? exitCodeOf(run.state) : exitCodes.ok;
  if (flags.output !== 'table') {
    printAs(run, flags.output, terminal);
    return code;
  }
  const nowMs = Date.now();
  const facts = [
    ['run', run.id],
    ['workflow', run.workflow],
    ['state', paintState(run.state, run.state, terminal)],
    ['message', run.message],
    ['began', agoText(run.created, nowMs)],
    ['took', tookText(run.startedAt, run.endedAt, nowMs)],
    ['begun by', run.trigger],
    ['retries', run.retries === 0 ? '' : String(run.retries)],
    ['inputs', JSON.stringify(effectiveInputs(run))],
    ['outputs', run.outputs === null ? '' : JSON.stringify(run.outputs)],
  ];
  for (const [title = '', text = ''] of facts) if (text !== '') terminal.print(`${`${title}:`.padEnd(10)} ${text}`);
  terminal.print('');
  printSteps(run.steps, context);
  for (const { step, question, approval, signal } of run.waits) {
    const how = approval ? `workflow approve ${run.id} ${step}` : `workflow signal ${run.id} ${signal}`;
    terminal.note(`waits for ${question === '' ? signal : question}: ${how}`);
  }
  return code;
}

/** What was given, and the defaults of what was not. */
function effectiveInputs({ source, inputs }: RunDetail): JsonValue {
  const { definition } = parseDefinition(source);
  return definition === undefined ? inputs : (resolveInputs(definition, inputs as JsonObject).inputs ?? inputs);
}

async function getSteps(id: string, { output }: GetFlags, context: CommandContext): Promise<number> {
  const { steps } = await context.client.get<RunDetail>(`/runs/${part(id)}`);
  if (output === 'table') printSteps(steps, context);
  else printAs(steps, output, context.terminal);
  return exitCodes.ok;
}

function printSteps(steps: readonly StepView[], { terminal }: CommandContext): void {
  const nowMs = Date.now();
  const width = Math.max(0, ...steps.map(({ step }) => step.length));
  for (const step of steps) {
    const execution = step.executions === 'one' ? (step.execution ?? undefined) : undefined;
    const text = stepText({ summary: step, execution }, nowMs);
    terminal.print(paintState(`${markOf(step.state)} ${step.step.padEnd(width)}  ${text}`, step.state, terminal));
  }
}

async function getExecutions(
  id: string,
  step: string,
  flags: GetFlags,
  { client, terminal }: CommandContext,
): Promise<number> {
  const { limit, offset = 0, state, output } = flags;
  const at = `/runs/${part(id)}/steps/${part(step)}/executions`;
  const { executions, total } = await client.get<{ executions: ExecutionView[]; total: number }>(
    `${at}${query({ limit: Math.min(1000, limit), offset, state })}`,
  );
  const nowMs = Date.now();
  const columns: readonly Column<ExecutionView>[] = [
    { title: 'INDEX', text: ({ index }) => (index < 0 ? '-' : String(index)) },
    { title: 'STATE', text: (execution) => execution.state, isState: true },
    { title: 'ATTEMPT', text: ({ attempt }) => String(attempt) },
    { title: 'TOOK', text: ({ startedAt, endedAt }) => tookText(startedAt, endedAt, nowMs) },
    { title: 'MESSAGE', text: ({ error, waitingFor }) => error?.message ?? waitingFor },
  ];
  printList(executions, columns, { format: output, none: 'there are none' }, terminal);
  if (output === 'table' && total > offset + executions.length) {
    terminal.note(`${offset} to ${offset + executions.length - 1} of ${total}: --offset and --limit show others`);
  }
  return exitCodes.ok;
}

async function getWorkflows({ output }: GetFlags, { client, terminal }: CommandContext): Promise<number> {
  const { workflows } = await client.get<{ workflows: WorkflowView[] }>('/workflows');
  const columns: readonly Column<WorkflowView>[] = [
    { title: 'WORKFLOW', text: ({ name }) => name },
    { title: 'STEPS', text: ({ steps }) => String(steps.length) },
    {
      title: 'INPUTS',
      text: ({ inputs }) => inputs.map(({ name, required }) => `${name}${required ? '' : '?'}`).join(' '),
    },
    { title: 'DESCRIPTION', text: ({ description }) => description },
  ];
  printList(
    workflows,
    columns,
    { format: output, none: 'there are no workflows: "workflow apply FILE" adds one' },
    terminal,
  );
  return exitCodes.ok;
}

async function getWorkflow(name: string, { output }: GetFlags, { client, terminal }: CommandContext): Promise<number> {
  const workflow = await client.get<WorkflowView & { source: string }>(`/workflows/${part(name)}`);
  if (output === 'table') terminal.print(workflow.source.trimEnd());
  else printAs(workflow, output, terminal);
  return exitCodes.ok;
}

async function getSchedules({ output }: GetFlags, { client, terminal }: CommandContext): Promise<number> {
  const { schedules } = await client.get<{ schedules: ScheduleView[] }>('/schedules');
  const columns: readonly Column<ScheduleView>[] = [
    { title: 'SCHEDULE', text: ({ name }) => name },
    { title: 'WORKFLOW', text: ({ workflow }) => workflow },
    { title: 'CRON', text: ({ cron }) => cron },
    { title: 'ZONE', text: ({ timeZone }) => timeZone },
    { title: 'NEXT', text: ({ nextAt, suspended }) => (suspended ? 'suspended' : (nextAt ?? '')) },
    { title: 'LAST RUN', text: ({ lastRun }) => lastRun },
    { title: 'MESSAGE', text: ({ message }) => message },
  ];
  printList(
    schedules,
    columns,
    { format: output, none: 'there are no schedules: "workflow schedule set" makes one' },
    terminal,
  );
  return exitCodes.ok;
}

interface SecretLine {
  readonly name: string;
  readonly keys: readonly string[];
}

async function getSecrets({ output }: GetFlags, { client, terminal }: CommandContext): Promise<number> {
  const { secrets } = await client.get<{ secrets: SecretLine[] }>('/secrets');
  const columns: readonly Column<SecretLine>[] = [
    { title: 'SECRET', text: ({ name }) => name },
    { title: 'KEYS', text: ({ keys }) => keys.join(' ') },
  ];
  printList(
    secrets,
    columns,
    { format: output, none: 'there are no secrets: "workflow secret set" makes one' },
    terminal,
  );
  return exitCodes.ok;
}

interface WorkerLine {
  readonly id: string;
  readonly alive: boolean;
  readonly executors: readonly string[];
  readonly serves: Readonly<Record<string, string>>;
  readonly slots: number;
  readonly seenAt: string;
}

async function getWorkers({ output }: GetFlags, { client, terminal }: CommandContext): Promise<number> {
  const { workers } = await client.get<{ workers: WorkerLine[] }>('/workers');
  const nowMs = Date.now();
  const columns: readonly Column<WorkerLine>[] = [
    { title: 'WORKER', text: ({ id }) => id },
    { title: 'THERE', text: ({ alive }) => (alive ? 'yes' : 'no') },
    { title: 'SLOTS', text: ({ slots }) => String(slots) },
    { title: 'EXECUTORS', text: ({ executors }) => executors.join(' ') },
    {
      title: 'SERVES',
      text: ({ serves }) =>
        Object.entries(serves)
          .map(([key, value]) => `${key}=${value}`)
          .join(' '),
    },
    { title: 'SEEN', text: ({ seenAt }) => agoText(seenAt, nowMs) },
  ];
  printList(
    workers,
    columns,
    { format: output, none: 'there are no workers: the engine executes all steps itself' },
    terminal,
  );
  return exitCodes.ok;
}
