import type { RunView } from '../http/run-view.js';
import { isFinal } from '../resources/states.js';
import type { ClientCommand, CommandContext } from './command-context.js';
import { part } from './engine-client.js';
import { CommandError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { waitForRun } from './run-command.js';

export type RunAction = 'cancel' | 'retry' | 'pause' | 'resume';

export interface ActionFlags {
  readonly wait?: boolean;
}

const done: Readonly<Record<RunAction, string>> = {
  cancel: 'is being cancelled',
  retry: 'is tried again',
  pause: 'is paused: what executes goes on to its end, and nothing new begins',
  resume: 'goes on',
};

/** Asks something of runs. */
export function runActionCommand(action: RunAction, ids: readonly string[], { wait }: ActionFlags): ClientCommand {
  return async (context) => {
    const { client, terminal } = context;
    for (const id of ids) {
      await client.send<RunView>('POST', `/runs/${part(id)}/${action}`);
      terminal.note(`run ${id} ${done[action]}`);
    }
    if (wait !== true) return exitCodes.ok;
    let code: number = exitCodes.ok;
    for (const id of ids) {
      const ended = await waitForRun(id, context);
      // Who waits for the end of a cancellation gets what was asked for.
      if (!(action === 'cancel' && ended === exitCodes.cancelled)) code = Math.max(code, ended);
    }
    return code;
  };
}

export interface DecisionFlags {
  readonly index?: number;
  readonly comment?: string;
  readonly by?: string;
}

export function decisionCommand(
  decision: 'approve' | 'reject',
  run: string,
  step: string | undefined,
  flags: DecisionFlags,
): ClientCommand {
  return async ({ client, terminal, user }) => {
    const answer = await client.send<{ step: string; index: number }>('POST', `/runs/${part(run)}/${decision}`, {
      ...(step === undefined ? {} : { step }),
      ...(flags.index === undefined ? {} : { index: flags.index }),
      ...(flags.comment === undefined ? {} : { comment: flags.comment }),
      by: flags.by ?? user,
    });
    const which = answer.index < 0 ? answer.step : `${answer.step} ${answer.index}`;
    terminal.note(`step ${which} of run ${run} is ${decision === 'approve' ? 'approved' : 'rejected'}`);
    return exitCodes.ok;
  };
}

export interface SignalFlags {
  readonly payload?: string;
  readonly by?: string;
}

export function signalCommand(run: string, name: string, flags: SignalFlags): ClientCommand {
  return async ({ client, terminal, user }) => {
    await client.send('POST', `/runs/${part(run)}/signals/${part(name)}`, {
      payload: payloadOf(flags.payload),
      by: flags.by ?? user,
    });
    terminal.note(`the signal ${name} was sent to run ${run}`);
    return exitCodes.ok;
  };
}

function payloadOf(text: string | undefined): unknown {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandError(`--payload: it is no JSON: ${(error as Error).message}`, exitCodes.usage);
  }
}

/** Takes runs away, with their logs. */
export function deleteRuns(ids: readonly string[], { force }: { readonly force?: boolean }): ClientCommand {
  return async (context: CommandContext) => {
    const { client, terminal } = context;
    for (const id of ids) {
      const run = await client.get<RunView>(`/runs/${part(id)}`);
      if (force === true && !isFinal(run.state)) {
        await client.send('POST', `/runs/${part(id)}/cancel`);
        await waitForRun(id, context);
      }
      await client.send('DELETE', `/runs/${part(id)}`);
      terminal.note(`run ${id} is deleted`);
    }
    return exitCodes.ok;
  };
}
