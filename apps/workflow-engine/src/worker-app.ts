import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import {
  closeAll,
  DataFolder,
  endSoon,
  ensureFolder,
  fileError,
  type LoggerOptions,
  lockFile,
  StartError,
  stopOnSignals,
} from '@cosi-ts/app-kit';
import { isInUse } from '@cosi-ts/resource';
import type { Logger } from '@cosi-ts/runtime';
import { systemClock, wrapState } from '@cosi-ts/state';
import { connectState } from '@cosi-ts/transport';
import { exitCodes } from './commands/exit-codes.js';
import { AttemptPaths } from './executors/attempt-paths.js';
import type { Executor } from './executors/executor.js';
import type { DefinedFunction } from './executors/function/defined-function.js';
import { FunctionExecutor } from './executors/function/function-executor.js';
import { HttpExecutor } from './executors/http/http-executor.js';
import { LoggedExecutor } from './executors/logged-executor.js';
import { remoteLogName } from './executors/remote-files.js';
import { RunExecutor } from './executors/run/run-executor.js';
import { Worker } from './resources/index.js';
import { workflowRegistry } from './resources/registry.js';
import { StepWorker } from './step-worker.js';
import { workflowData } from './workflow-data.js';

/** Everything that can be set about a worker. */
export interface WorkerOptions {
  /** Of no other worker. */
  readonly name: string;
  /** Where the State service of the engine is: `http://host:port` or `https://host:port`. */
  readonly stateUrl: string;
  /** Labels that steps ask for with `runsOn`. */
  readonly serves: Readonly<Record<string, string>>;
  /** How many steps at once. */
  readonly slots: number;
  /** After so long without a word the engine gives the worker's steps to others. */
  readonly leaseMs: number;
  /** How long what is asked to end has for that. */
  readonly graceMs: number;
  /** Where processes, logs and artifacts are: of no other worker, nor of an engine. */
  readonly folder: string;
  readonly log: LoggerOptions;
}

export interface WorkerExtensions {
  readonly functions?: Iterable<DefinedFunction>;
  readonly executors?: readonly Executor[];
}

/** How long the engine may take to answer at the start. */
const firstAnswerMs = 10_000;

/** Starts a worker. Rejects with a {@link StartError} when there is no engine at that address. */
export async function startWorker(
  options: WorkerOptions,
  logger: Logger,
  { functions = [], executors = [] }: WorkerExtensions = {},
): Promise<StepWorker> {
  const { name, stateUrl, serves, slots, leaseMs, graceMs, folder } = options;
  await ensureFolder(folder).catch((error: unknown) => {
    throw fileError(error, `the folder ${folder}`, '--data');
  });
  const release = await claimFolder(folder);
  const state = wrapState(connectState(stateUrl, { types: workflowRegistry }));
  try {
    await state.list(Worker.kind, { signal: AbortSignal.timeout(firstAnswerMs) });
  } catch (error) {
    await closeAll([release, () => state.close()]);
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `no engine answers at ${stateUrl}: ${why}. Start it with "workflow serve", or name its State service with --state`,
      { cause: error },
    );
  }
  const own = { clock: systemClock, logger };
  return new StepWorker({
    state,
    executors: [
      new RunExecutor(folder, own),
      new HttpExecutor(folder, own),
      new FunctionExecutor(folder, functions, own),
      ...executors.map((executor) => new LoggedExecutor(folder, executor, own)),
    ],
    name,
    serves,
    slots,
    leaseMs,
    graceMs,
    logger,
    logName: remoteLogName(hostname(), new AttemptPaths(resolve(folder)).logs),
    release,
  });
}

/** Two that looked after the same processes would end each other's. */
async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const { store } = await new DataFolder(workflowData, folder).contents();
  if (store) throw new StartError(`${folder} is the data of an engine: name another folder with --data`);
  try {
    return await lockFile(join(folder, 'worker.lock'));
  } catch (error) {
    if (!isInUse(error)) throw fileError(error, `the folder ${folder}`, '--data');
    throw new StartError(`another worker has this --data: ${error.message}`, { cause: error });
  }
}

/**
 * Runs a worker as this process, until a signal asks it to end. Sets the exit code when something went wrong.
 * @param load gives what the worker brings along; may reject with a {@link StartError}
 */
export async function runWorker(
  options: WorkerOptions,
  logger: Logger,
  load: () => Promise<WorkerExtensions>,
): Promise<void> {
  let worker: StepWorker;
  try {
    worker = await startWorker(options, logger, await load());
  } catch (error) {
    if (error instanceof StartError) logger.error({}, `cannot start: ${error.message}`);
    else logger.error({ err: error }, 'cannot start');
    process.exitCode = 1;
    return;
  }
  logger.info({ worker: options.name, engine: options.stateUrl, serves: options.serves }, 'ready');
  // A code of its own: whatever starts workers again has to leave it, or the two would end each other by turns.
  const orWhen = worker.replaced.then(() => {
    process.exitCode = exitCodes.replaced;
  });
  const end = async () => {
    try {
      await worker.close();
      logger.info({}, 'stopped');
    } catch (error) {
      logger.error({ err: error }, 'stopped, but not everything could be ended');
      process.exitCode ??= 1;
    }
  };
  await stopOnSignals(end, logger, { orWhen });
  endSoon(logger);
}
