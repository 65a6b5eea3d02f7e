import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AppMetrics,
  closeAll,
  type Data,
  DataFolder,
  dataError,
  ensureFolder,
  graphRoutes,
  HttpServer,
  healthOf,
  healthRoute,
  healthView,
  metricsRoute,
  openData,
  PageFiles,
  type RunningApp,
  startError,
  warnOfStrangers,
} from '@cosi-ts/app-kit';
import type { HostProcess, Logger } from '@cosi-ts/runtime';
import { type CallOptions, systemClock, systemRandom } from '@cosi-ts/state';
import { serveState } from '@cosi-ts/transport';
import type { AppOptions } from './app-options.js';
import { DefinitionCache } from './definition/definition-cache.js';
import { endRuns } from './end-runs.js';
import { AttemptPaths } from './executors/attempt-paths.js';
import type { Executor } from './executors/executor.js';
import type { DefinedFunction } from './executors/function/defined-function.js';
import { FunctionExecutor } from './executors/function/function-executor.js';
import { HttpExecutor } from './executors/http/http-executor.js';
import { LoggedExecutor } from './executors/logged-executor.js';
import { RunExecutor } from './executors/run/run-executor.js';
import { type HowToGive, howToGive as ofEngine } from './how-to-give.js';
import { apiRoutes } from './http/api-routes.js';
import { userName } from './resource-names.js';
import { workflowRegistry } from './resources/registry.js';
import { workflowData } from './workflow-data.js';
import { WorkflowEngine } from './workflow-engine.js';

/** How long calls of the State service have at the end. */
const stateDrainMs = 500;

/** The app while it runs. */
export interface App extends RunningApp {
  readonly engine: WorkflowEngine;
  /** Copies the data as it is at this moment to a new folder, which `--data` can name. It stays in use meanwhile. */
  backUp(into: string, options?: CallOptions): ReturnType<Data['backUp']>;
}

/** What programs that bring their own steps add. */
export interface AppExtensions {
  readonly functions?: Iterable<DefinedFunction>;
  /** Their names are keys of steps in definitions. */
  readonly executors?: readonly Executor[];
  /** How the app is given what a run misses, as messages tell it. Default: with commands of its own. */
  readonly howToGive?: HowToGive;
  /** Where errors are caught that controllers let escape. Default: nowhere, they end the process. */
  readonly hostProcess?: HostProcess;
}

/**
 * Starts everything. Resolves when it is ready; rejects, with nothing left behind, with a `StartError` when the user can
 * put it right.
 */
export async function startApp(options: AppOptions, logger: Logger, extensions: AppExtensions = {}): Promise<App> {
  const page = options.page === undefined ? undefined : new PageFiles(options.page, { webAssembly: true });
  const opened: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll(opened);
    return closing;
  };
  try {
    const folder = await openFolder(options, opened);
    const data = await openData(workflowData, options.data, { clock: systemClock, random: systemRandom, logger });
    opened.push(() => data.close());
    const metrics = await AppMetrics.open();
    opened.push(() => metrics.close());
    const definitions = new DefinitionCache({ executors: executorNames(extensions) });
    const engine = await startEngine(options, { data, folder, metrics, definitions, logger, ...extensions });
    opened.push(() => engine.close());
    // Nobody would find again what goes on after the end.
    if (options.data === undefined) opened.push(() => endRuns(engine.state, options.graceMs, logger));

    const stateServer = await serveState(engine.state.core, {
      address: options.stateAddress,
      // An address beyond this machine was asked for, and is warned of below.
      insecure: true,
      types: workflowRegistry,
      drainMs: stateDrainMs,
      meter: metrics.meter('@cosi-ts/transport'),
      logger,
    }).catch((error: unknown) => {
      throw startError(error, `the State service on ${options.stateAddress}`, '--state-address');
    });
    opened.push(() => stateServer.close());

    const health = () => healthOf(engine.runtime.report());
    const http = await HttpServer.listen({
      host: options.host,
      port: options.port,
      routes: [
        ...apiRoutes({
          engine,
          logsFolder: new AttemptPaths(folder).logs,
          definitions,
          random: systemRandom,
          clock: systemClock,
          health: () => healthView(health()),
        }),
        metricsRoute(metrics),
        healthRoute(health, () => true),
        ...graphRoutes(engine.runtime),
      ],
      fallback: (request, response, path) => page?.serve(request, response, path) ?? false,
      allowedHosts: options.allowedHosts.map((name) => name.toLowerCase()),
      nameOf: userName,
      errorFormat: 'problem',
      logger,
      clock: systemClock,
    }).catch((error: unknown) => {
      throw startError(error, `HTTP on ${options.host}:${options.port}`, '--host and --port');
    });
    opened.push(() => http.close());

    warnOfStrangers(options, logger);
    return {
      url: http.url,
      stateAddress: stateServer.address,
      engine,
      backUp: (into, callOptions) => data.backUp(into, callOptions),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close().catch((closeError: unknown) => logger.error({ err: closeError }, 'could not end what was begun'));
    throw error;
  }
}

/** Where processes, logs and artifacts are: beside the store, or for as long as the app runs. */
async function openFolder({ data }: AppOptions, opened: (() => Promise<void>)[]): Promise<string> {
  if (data !== undefined) {
    await ensureFolder(data.folder).catch((error: unknown) => {
      throw dataError(error, new DataFolder(workflowData, data.folder));
    });
    return data.folder;
  }
  const folder = await mkdtemp(join(tmpdir(), 'workflow-'));
  opened.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function executorNames({ executors = [] }: AppExtensions): readonly string[] {
  return executors.map(({ name }) => name);
}

interface EngineParts extends AppExtensions {
  readonly data: Data;
  readonly folder: string;
  readonly metrics: AppMetrics;
  readonly definitions: DefinitionCache;
  readonly logger: Logger;
}

async function startEngine(options: AppOptions, parts: EngineParts): Promise<WorkflowEngine> {
  const { data, folder, metrics, definitions, logger, functions = [], executors = [], hostProcess } = parts;
  const { howToGive = ofEngine } = parts;
  const own = { clock: systemClock, logger };
  try {
    return await WorkflowEngine.start({
      state: data.state,
      executors: [
        new RunExecutor(folder, own),
        new HttpExecutor(folder, own),
        new FunctionExecutor(folder, functions, { ...own, howToGive: howToGive.functions }),
        ...executors.map((executor) => new LoggedExecutor(folder, executor, own)),
      ],
      logger,
      readDefinition: (source, isBegun) => definitions.definitionOf(source, isBegun),
      slots: options.slots,
      graceMs: options.graceMs,
      retention: options.retention,
      meter: metrics.meter('@cosi-ts/runtime'),
      howToGive,
      ...(hostProcess === undefined ? {} : { hostProcess }),
    });
  } catch (error) {
    throw options.data === undefined ? error : dataError(error, new DataFolder(workflowData, options.data.folder));
  }
}
