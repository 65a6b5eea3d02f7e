import { readFile } from 'node:fs/promises';
import {
  AppMetrics,
  closeAll,
  type Data,
  DataFolder,
  dataError,
  eventsRoute,
  fileError,
  graphRoutes,
  HttpServer,
  healthRoute,
  metricsRoute,
  openData,
  PageFiles,
  type RunningApp,
  StartError,
  startError,
  teardownRoutes,
  warnOfStrangers,
} from '@cosi-ts/app-kit';
import type { HostProcess, Logger } from '@cosi-ts/runtime';
import { type CallOptions, systemClock, systemRandom } from '@cosi-ts/state';
import type { BackupReport } from '@cosi-ts/store-leveldb';
import { serveState } from '@cosi-ts/transport';
import type { AppOptions } from './app-options.js';
import { ControlPlane } from './control-plane.js';
import { addDefaultHosts } from './default-hosts.js';
import { applyRoute } from './http/apply-route.js';
import { healthView } from './http/health-view.js';
import { hostsRoutes } from './http/hosts-routes.js';
import { hypervisorRoutes } from './http/hypervisor-routes.js';
import { machineEvents } from './http/machine-events.js';
import { statusRoute } from './http/status-route.js';
import { vmsRoutes } from './http/vms-routes.js';
import { machineFile } from './hypervisor/machine-file.js';
import { memoryMachineStore } from './hypervisor/machine-store.js';
import { openSimulatedHypervisor } from './hypervisor/simulated-hypervisor.js';
import { applyManifest } from './manifest/apply.js';
import { type ManifestEntry, parseManifests } from './manifest/manifest.js';
import { Host, VMConfig, vmsNamespace } from './resources/index.js';
import { vmKinds, vmRegistry } from './resources/registry.js';
import { userName } from './resources/user-name.js';
import { seededRandom } from './seeded-random.js';
import { vmData } from './vm-data.js';

/** How long calls of the State service have at the end. */
const stateDrainMs = 500;

/** The app while it runs. */
export interface App extends RunningApp {
  readonly plane: ControlPlane;
  /** Copies the data as it is at this moment to a new folder, which `--data` can name. It stays in use meanwhile. */
  backUp(into: string, options?: CallOptions): Promise<BackupReport>;
  /** Ends everything, in the reverse order of its beginning. Can be called any number of times. */
  close(): Promise<void>;
}

/**
 * Starts everything. Resolves when it is ready and the manifests are applied; rejects, with nothing left behind, with a
 * {@link StartError} when the user can put it right.
 *
 * @param hostProcess where errors are caught that controllers let escape
 */
export async function startApp(options: AppOptions, logger: Logger, hostProcess?: HostProcess): Promise<App> {
  // What can be wrong with the manifests is found before anything is touched.
  const entries = parseManifests(await Promise.all(options.manifests.map(readManifest)));
  const page = options.page === undefined ? undefined : new PageFiles(options.page, { webAssembly: true });
  const opened: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll(opened);
    return closing;
  };
  try {
    const data = await openData(vmData, options.data, { clock: systemClock, random: systemRandom, logger });
    opened.push(() => data.close());
    const metrics = await AppMetrics.open();
    opened.push(() => metrics.close());
    const plane = await startPlane(options, data, metrics, logger, hostProcess);
    opened.push(() => plane.close());
    const { state } = plane;

    const stateServer = await serveState(state.core, {
      address: options.stateAddress,
      // An address beyond this machine was asked for, and is warned of below.
      insecure: true,
      types: vmRegistry,
      drainMs: stateDrainMs,
      meter: metrics.meter('@cosi-ts/transport'),
      logger,
    }).catch((error: unknown) => {
      throw startError(error, `the State service on ${options.stateAddress}`, '--state-address');
    });
    opened.push(() => stateServer.close());

    let isStarted = false;
    const http = await HttpServer.listen({
      host: options.host,
      port: options.port,
      routes: [
        ...vmsRoutes(state),
        ...hostsRoutes(state),
        ...hypervisorRoutes(state, plane.hypervisor),
        ...teardownRoutes(plane.runtime, '/vms/:id', ({ id = '' }) => VMConfig.at(id)),
        ...teardownRoutes(plane.runtime, '/hosts/:id', ({ id = '' }) => Host.at(id)),
        ...teardownRoutes(plane.runtime, '/resources/:type/:id', ({ type = '', id = '' }) => ({
          namespace: vmsNamespace,
          type,
          id,
        })),
        metricsRoute(metrics),
        healthRoute(
          () => plane.health(),
          () => isStarted,
        ),
        ...graphRoutes(plane.runtime),
        statusRoute(plane),
        applyRoute(state),
        eventsRoute({
          state,
          kinds: vmKinds,
          health: () => healthView(plane),
          others: [machineEvents(plane)],
          clock: systemClock,
        }),
      ],
      fallback: (request, response, path) => page?.serve(request, response, path) ?? false,
      allowedHosts: options.allowedHosts.map((name) => name.toLowerCase()),
      nameOf: userName,
      logger,
      clock: systemClock,
    }).catch((error: unknown) => {
      throw startError(error, `HTTP on ${options.host}:${options.port}`, '--host and --port');
    });
    opened.push(() => http.close());

    await prepare(options, entries, plane, logger);
    isStarted = true;
    warnOfStrangers(options, logger);
    const { address: stateAddress } = stateServer;
    return {
      url: http.url,
      stateAddress,
      plane,
      backUp: (into, callOptions) => data.backUp(into, callOptions),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close().catch((closeError: unknown) => logger.error({ err: closeError }, 'could not end what was begun'));
    throw error;
  }
}

async function startPlane(
  options: AppOptions,
  { state }: Data,
  metrics: AppMetrics,
  logger: Logger,
  hostProcess?: HostProcess,
): Promise<ControlPlane> {
  const random = options.seed === undefined ? systemRandom : seededRandom(options.seed);
  const { hypervisorFile: file, network } = options;
  const store = file === undefined ? memoryMachineStore : machineFile(file);
  const hypervisor = await openSimulatedHypervisor({ ...options.simulation, store, random }).catch((error: unknown) => {
    throw fileError(error, `the machine file ${file}`, '--hypervisor-file');
  });
  try {
    const meter = metrics.meter('@cosi-ts/runtime');
    return await ControlPlane.start({ state, hypervisor, logger, network, meter, ...(hostProcess && { hostProcess }) });
  } catch (error) {
    await hypervisor.close();
    throw options.data === undefined ? error : dataError(error, new DataFolder(vmData, options.data.folder));
  }
}

/** Brings in what is to be there from the beginning. */
async function prepare(
  options: AppOptions,
  entries: readonly ManifestEntry[],
  { state, machines }: ControlPlane,
  logger: Logger,
): Promise<void> {
  if (entries.length > 0) {
    const { applied, pruned } = await applyManifest(state, entries, { prune: options.prune });
    const count = (wanted: string) => applied.filter(({ result }) => result === wanted).length;
    const facts = { created: count('created'), updated: count('updated'), unchanged: count('unchanged') };
    logger.info({ ...facts, pruned: pruned.length }, 'manifests applied');
  }
  const bringsHosts = entries.some(({ resource }) => resource.metadata.type === Host.type);
  if (options.defaultHosts && !bringsHosts && (await addDefaultHosts(state))) {
    logger.info({}, 'added three simulated hosts, because there was none');
  }
  if (machines.size > 0) {
    logger.info({ count: machines.size, file: options.hypervisorFile }, 'found machines of an earlier run');
  }
}

async function readManifest(name: string): Promise<{ name: string; text: string }> {
  try {
    return { name, text: await readFile(name, 'utf8') };
  } catch (error) {
    throw new StartError(`the manifest ${name} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
