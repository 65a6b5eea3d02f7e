import type { ScheduleView } from '../http/schedule-view.js';
import type { WorkflowView } from '../http/workflow-view.js';
import type { JsonObject } from '../json.js';
import type { ClientCommand } from './command-context.js';
import { type EngineClient, part } from './engine-client.js';
import { EngineError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { type InputFlags, inputValues } from './input-values.js';
import { inputsOf } from './run-target.js';

export interface ScheduleFlags extends InputFlags {
  readonly workflow: string;
  readonly cron: string;
  readonly timeZone?: string;
  readonly overlap?: string;
  readonly catchUp?: string;
  readonly suspended?: boolean;
}

/** Makes a schedule, or changes it as a whole. */
export function setScheduleCommand(name: string, flags: ScheduleFlags): ClientCommand {
  return async ({ client, terminal }) => {
    const { workflow, cron, timeZone, overlap, catchUp, suspended } = flags;
    const known = flags.input === undefined ? [] : await inputsOf({ kind: 'workflow', workflow }, client);
    const inputs = await inputValues(flags, known);
    const schedule = await client.send<ScheduleView>('PUT', `/schedules/${part(name)}`, {
      ...{ workflow, cron, inputs },
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(overlap === undefined ? {} : { overlap }),
      ...(catchUp === undefined ? {} : { catchUp }),
      ...(suspended === undefined ? {} : { suspended }),
    });
    terminal.note(`schedule ${name} makes runs of ${schedule.workflow} at ${schedule.cron} (${schedule.timeZone})`);
    const why = await whyNoRun(workflow, inputs, client);
    if (why !== undefined) terminal.note(`  no run of it will succeed yet: ${why}`);
    return exitCodes.ok;
  };
}

/** What stands against the runs of a schedule. It may be made before its workflow, so this is no error. */
async function whyNoRun(workflow: string, inputs: JsonObject, client: EngineClient): Promise<string | undefined> {
  try {
    const { inputs: known } = await client.get<WorkflowView>(`/workflows/${part(workflow)}`);
    const missing = known.filter(({ name, required }) => required && !Object.hasOwn(inputs, name));
    if (missing.length === 0) return undefined;
    return `give ${missing.map(({ name, type }) => `--input ${name}=<${type}>`).join(' ')}`;
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error;
    return `there is no workflow ${workflow}; "workflow apply FILE" adds it`;
  }
}

/** Has a schedule make no runs, or make them again. */
export function suspendCommand(name: string, suspended: boolean): ClientCommand {
  return async ({ client, terminal }) => {
    await client.send('PATCH', `/schedules/${part(name)}`, { suspended });
    terminal.note(`schedule ${name} ${suspended ? 'is suspended' : 'makes runs again'}`);
    return exitCodes.ok;
  };
}
