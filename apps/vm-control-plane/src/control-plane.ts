import { type Health, healthOf } from '@cosi-ts/app-kit';
import {
  destroy,
  type HostProcess,
  installProcessHandlers,
  type Logger,
  Runtime,
  type RuntimeOptions,
} from '@cosi-ts/runtime';
import {
  type Clock,
  type Random,
  registerNamespace,
  registerType,
  type State,
  systemClock,
  systemRandom,
} from '@cosi-ts/state';
import { AddressPlan } from './controllers/address-plan.js';
import { hostController } from './controllers/host-controller.js';
import { networkController } from './controllers/network-controller.js';
import { PlacementController } from './controllers/placement-controller.js';
import { VMController, type VMControllerOptions } from './controllers/vm-controller.js';
import type { Hypervisor } from './hypervisor/hypervisor.js';
import { MachineView } from './hypervisor/machine-view.js';
import { Host, VMConfig, VMPlacement, vmsNamespace } from './resources/index.js';
import { vmTypes } from './resources/registry.js';

/** The network that machines have their addresses from: room for 8189. */
export const defaultNetwork = '10.64.0.0/19';

export interface ControlPlaneOptions {
  /** Closed together with the control plane, as is the hypervisor. */
  readonly state: State;
  readonly hypervisor: Hypervisor;
  readonly logger: Logger;
  /** Default: {@link defaultNetwork}. */
  readonly network?: string;
  readonly vm?: Omit<VMControllerOptions, 'clock'>;
  /** Where errors are caught that controllers let escape. Default: nowhere, they end the process. */
  readonly hostProcess?: HostProcess;
  /** Where what the controllers do is measured. Default: nowhere. */
  readonly meter?: RuntimeOptions['meter'];
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The resources, the controllers and the hypervisor of the app, running. What serves them to the world is put on top. */
export class ControlPlane implements AsyncDisposable {
  readonly state: State;
  readonly hypervisor: Hypervisor;
  readonly machines: MachineView;
  readonly runtime: Runtime;
  readonly addresses: AddressPlan;
  readonly #handlers: Disposable | undefined;
  readonly #running: Promise<void>;
  #closing: Promise<void> | undefined;

  private constructor(options: ControlPlaneOptions, addresses: AddressPlan, machines: MachineView) {
    const { state, hypervisor, logger, clock = systemClock, random = systemRandom } = options;
    this.state = state;
    this.hypervisor = hypervisor;
    this.machines = machines;
    this.addresses = addresses;
    this.runtime = new Runtime(state, {
      logger,
      clock,
      random,
      meter: options.meter,
      // Asked for at each choice of a host, and whenever a host changes; the placements of a host by its label.
      cached: [Host.kind, VMPlacement.kind],
      shutdownGraceMs: 1000,
    });
    this.runtime.register(new PlacementController({ foundOn: (id) => machines.get(id)?.host }));
    this.runtime.register(hostController());
    this.runtime.register(networkController({ plan: addresses, state, machines: () => machines.values() }));
    this.runtime.register(new VMController(hypervisor, { ...options.vm, clock }));
    this.runtime.register(destroy(VMConfig.kind, { concurrency: 4 }));
    this.runtime.register(destroy(Host.kind));
    const { hostProcess } = options;
    this.#handlers = hostProcess === undefined ? undefined : installProcessHandlers(this.runtime, hostProcess);
    this.#running = this.runtime.run();
  }

  /** Publishes the types and starts the controllers. */
  static async start(options: ControlPlaneOptions): Promise<ControlPlane> {
    const addresses = new AddressPlan(options.network ?? defaultNetwork);
    await registerNamespace(options.state, vmsNamespace, 'Virtual machines, their hosts and their networks');
    for (const type of vmTypes) await registerType(options.state, type as never);
    return new ControlPlane(options, addresses, await MachineView.open(options.hypervisor));
  }

  health(): Health {
    return healthOf(this.runtime.report());
  }

  /** Ends the controllers, then what they used. Can be called any number of times. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.runtime.close();
    await this.#running;
    this.#handlers?.[Symbol.dispose]();
    this.machines[Symbol.dispose]();
    const results = await Promise.allSettled([this.hypervisor.close(), this.state.close()]);
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => String(error)).join('; '));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
