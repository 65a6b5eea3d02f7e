import { isAbsolute, join, normalize, sep } from 'node:path';
import type { DeepReadonly } from '@cosi-ts/resource';
import type { CallOptions, State } from '@cosi-ts/state';
import { parseRemoteLog, type RemoteFiles } from '../executors/remote-files.js';
import type { StepResultSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { find } from '../resources/find.js';
import { isFinal, StepResult } from '../resources/index.js';
import { executionId } from '../resources/labels.js';

export interface LogPlace {
  readonly run: string;
  readonly step: string;
  readonly index: number;
  /** Undefined: the newest. */
  readonly attempt: number | undefined;
}

/** The log of one attempt. */
export interface StepLog {
  readonly attempt: number;
  /** Undefined: nothing was written yet, the attempt has no log, or it is elsewhere. */
  readonly path: string | undefined;
  /** Of a worker that has the log. */
  readonly elsewhere?: RemoteFiles | undefined;
  /** Whether nothing more will be written to it. */
  readonly isOver: boolean;
}

/** Where the log of an attempt is. Undefined when there is no such attempt. */
export async function findStepLog(
  state: Pick<State, 'get'>,
  logsFolder: string,
  { run, step, index, attempt }: LogPlace,
  options: CallOptions,
): Promise<StepLog | undefined> {
  const result = await find(state, StepResult.at(executionId(run, step, index)), options);
  if (result === undefined) return undefined;
  return logOf(result.spec, logsFolder, attempt);
}

function logOf(
  spec: DeepReadonly<StepResultSpec>,
  logsFolder: string,
  attempt: number | undefined,
): StepLog | undefined {
  if (attempt === undefined || attempt === spec.attempt) {
    return { attempt: spec.attempt, ...placeOf(spec, logsFolder), isOver: isFinal(spec.state) };
  }
  const past = spec.past.find((each) => each.attempt === attempt);
  return past && { attempt, ...placeOf(past, logsFolder), isOver: true };
}

function placeOf({ log }: { readonly log: string }, logsFolder: string) {
  const remote = parseRemoteLog(log);
  if (remote !== undefined) return { path: undefined, elsewhere: remote };
  return { path: within(logsFolder, log) };
}

/** The path of a log. What other processes stored may not lead out of the folder. */
function within(folder: string, name: string): string | undefined {
  if (name === '' || isAbsolute(name)) return undefined;
  const relative = normalize(name);
  return relative === '..' || relative.startsWith(`..${sep}`) ? undefined : join(folder, relative);
}
