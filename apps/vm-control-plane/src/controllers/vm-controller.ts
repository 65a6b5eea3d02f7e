import type { Pointer, TypedPointer, TypedResource } from '@cosi-ts/resource';
import {
  Bridge,
  type ControllerState,
  exclusive,
  fromCallback,
  type HookContext,
  mapped,
  mappedDestroyReady,
  primary,
  type QueueController,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  sameId,
  toItems,
} from '@cosi-ts/runtime';
import { type Clock, systemClock } from '@cosi-ts/state';
import type { NetworkConfigSpec, VMConfigSpec, VMPlacementSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import type { Hypervisor, MachineEvent } from '../hypervisor/hypervisor.js';
import type { MachineSpec } from '../hypervisor/machine.js';
import { NetworkConfig, powerOf, VMConfig, VMPlacement, VMStatus } from '../resources/index.js';
import { BootRetries } from './boot-retries.js';
import { type Observation, observe, writeObservation } from './vm-observation.js';
import { type Obstacle, whyNoMachine } from './vm-readiness.js';

export interface VMControllerOptions {
  readonly clock?: Clock;
  /** How many machines are worked on at once. Default: 16. */
  readonly concurrency?: number;
  /** How often a machine is looked at that boots or stops, should its event be lost. Default: 5000. */
  readonly checkIntervalMs?: number;
}

/**
 * Makes the hypervisor's machines match the VMConfigs, and says in a VMStatus how they are.
 *
 * While a machine exists, its network and its place are held by finalizers. A VM that is torn down loses its machine
 * first; then they are let go, and when both are gone, the VM.
 *
 * A machine that no VMConfig names is left alone. It becomes that of a VMConfig of its id as soon as there is one.
 *
 * Written by hand, because what it makes is a machine: the status tells of it, also when the hypervisor refuses and the
 * reconcile fails, and when the VM is gone and the machine is not. A `qtransform` would keep the status, but drop what it
 * says of a failure, and know of no id that has no VM.
 */
export class VMController implements QueueController<TypedPointer<VMConfigSpec>> {
  readonly name = 'VMController';
  readonly inputs = [
    primary(VMConfig.kind),
    mapped(NetworkConfig.kind, sameId(VMConfig.kind)),
    mapped(VMPlacement.kind, sameId(VMConfig.kind)),
    mappedDestroyReady(VMStatus.kind, sameId(VMConfig.kind)),
  ];
  readonly outputs = [exclusive(VMStatus)];
  readonly concurrency: number;

  readonly #hypervisor: Hypervisor;
  readonly #checkIntervalMs: number;
  readonly #clock: Clock;
  readonly #retries: BootRetries;

  constructor(hypervisor: Hypervisor, options: VMControllerOptions = {}) {
    this.#hypervisor = hypervisor;
    this.concurrency = options.concurrency ?? 16;
    this.#checkIntervalMs = options.checkIntervalMs ?? 5000;
    this.#clock = options.clock ?? systemClock;
    this.#retries = new BootRetries(this.#clock);
  }

  /** What happens to a machine concerns the VM of its id, if there is one. */
  async runHook({ queue, logger, signal, includeBridge }: HookContext): Promise<void> {
    const bridge = new Bridge<MachineEvent>(
      'machine events',
      fromCallback((emit) => this.#hypervisor.subscribe(emit)),
      toItems({ queue }, ({ id }) => VMConfig.at(id)),
      { logger, clock: this.#clock },
    );
    includeBridge(bridge);
    await bridge.run({ signal });
  }

  async reconcile(pointer: TypedPointer<VMConfigSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { state } = context;
    const vm = await state.find(pointer);
    if (vm === undefined) return this.#forget(pointer, context);
    if (vm.metadata.phase === 'tearingDown') {
      // Without the finalizer there never was a machine of it, or all is done.
      if (vm.metadata.finalizers.includes(this.name)) return this.#tearDown(pointer, context);
      return;
    }
    if (!vm.metadata.finalizers.includes(this.name)) await state.addFinalizer(pointer);

    const network = await state.find(NetworkConfig.at(pointer.id));
    const placement = await state.find(VMPlacement.at(pointer.id));
    const obstacle = whyNoMachine(vm, network, placement);
    if (obstacle?.verdict === 'withdraw') return this.#withdraw(pointer, obstacle.reason, context);
    if (obstacle !== undefined || network === undefined || placement === undefined) {
      return this.#wait(pointer, obstacle, context);
    }
    for (const held of [network, placement]) {
      if (!held.metadata.finalizers.includes(this.name)) await state.addFinalizer(held.metadata);
    }
    return this.#run(machineSpec(vm, network, placement), placement, context);
  }

  /** Brings the machine to what is wanted, or leaves it for a while when it did not boot. */
  async #run(
    spec: MachineSpec,
    placement: TypedResource<VMPlacementSpec>,
    { state, signal, logger }: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { id } = spec;
    const found = await this.#hypervisor.get(id, { signal });
    if (found?.state === 'failed' && spec.power === 'running') {
      const waitMs = this.#retries.waitMs(id, found.failedBoots, JSON.stringify(spec));
      if (waitMs > 0) {
        await this.#report(id, observe(found, spec, placement.spec.rejections), state);
        return requeueAfter(waitMs);
      }
    }
    if (found === undefined) logger.info({ host: spec.host }, 'create machine');
    const machine = await this.#ensure(spec, state, signal);
    if (machine.state === 'running' || machine.state === 'stopped') this.#retries.forget(id);
    await this.#report(id, observe(machine, spec, placement.spec.rejections), state);
    const isOnItsWay = machine.state === 'booting' || machine.state === 'stopping';
    return isOnItsWay ? requeueAfter(this.#checkIntervalMs) : undefined;
  }

  /** There can be a machine already: one that was found, or whose host is no more. */
  async #wait({ id }: Pointer, obstacle: Obstacle | undefined, { state, signal }: ReconcileContext): Promise<void> {
    const machine = (await this.#hypervisor.get(id, { signal })) ?? null;
    const without = obstacle?.verdict === 'refuse' ? 'failed' : 'pending';
    await this.#report(id, { state: machine?.state ?? without, message: obstacle?.reason ?? '', machine }, state);
  }

  async #ensure(spec: MachineSpec, state: ControllerState, signal: AbortSignal) {
    try {
      return await this.#hypervisor.ensure(spec, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const message = `the hypervisor says: ${error instanceof Error ? error.message : String(error)}`;
      await this.#report(spec.id, { state: 'failed', message, error: message }, state);
      throw error;
    }
  }

  /** Takes the machine away because its network or its place is to go, and lets them go. */
  async #withdraw(pointer: TypedPointer<VMConfigSpec>, reason: string, context: ReconcileContext) {
    const { state, signal } = context;
    const machine = await this.#hypervisor.remove(pointer.id, { signal });
    if (machine !== undefined) {
      await this.#report(pointer.id, { state: 'stopping', message: reason, machine }, state);
      return requeueAfter(this.#checkIntervalMs);
    }
    await this.#report(pointer.id, { state: 'pending', message: reason, machine: null }, state);
    await this.#letGo(pointer.id, state);
    return undefined;
  }

  async #tearDown(pointer: TypedPointer<VMConfigSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { id } = pointer;
    const { state, signal, logger } = context;
    const machine = await this.#hypervisor.remove(id, { signal });
    if (machine !== undefined) {
      await this.#report(id, { state: 'stopping', message: 'is being deleted', machine }, state);
      return requeueAfter(this.#checkIntervalMs);
    }
    this.#retries.forget(id);
    const network = await state.find(NetworkConfig.at(id));
    const placement = await state.find(VMPlacement.at(id));
    if (network !== undefined || placement !== undefined) {
      await this.#report(id, { state: 'releasing', message: 'is being deleted', machine: null }, state);
      // Their end brings the item back here.
      await this.#letGo(id, state);
      return undefined;
    }
    if (await state.destroyIfReady(VMStatus.at(id))) {
      await state.removeFinalizer(pointer);
      logger.info({}, 'machine, network and place are gone');
    }
    return undefined;
  }

  /** There is no VM of that id (any more): whatever machine there is runs on without one. */
  async #forget({ id }: TypedPointer<VMConfigSpec>, { state, signal }: ReconcileContext): Promise<void> {
    this.#retries.forget(id);
    await state.destroyIfReady(VMStatus.at(id));
    if ((await this.#hypervisor.get(id, { signal })) === undefined) await this.#letGo(id, state);
  }

  async #letGo(id: string, state: ControllerState): Promise<void> {
    await state.removeFinalizer(NetworkConfig.at(id));
    await state.removeFinalizer(VMPlacement.at(id));
  }

  async #report(id: string, observation: Observation, state: ControllerState): Promise<void> {
    const status = await state.find(VMStatus.at(id));
    if (status?.metadata.phase === 'tearingDown') {
      // Somebody else tore it down. It is made anew once nothing holds it.
      if (!(await state.destroyIfReady(VMStatus.at(id)))) return;
    }
    await state.modify(VMStatus.at(id), ({ spec }) => writeObservation(spec, observation));
  }
}

/** What is asked of the hypervisor: the size is the one that is reserved, which can differ from the one that is wanted. */
function machineSpec(
  vm: TypedResource<VMConfigSpec>,
  network: TypedResource<NetworkConfigSpec>,
  placement: TypedResource<VMPlacementSpec>,
): MachineSpec {
  const { host, cpus, memoryMib } = placement.spec;
  const { mac, ip } = network.spec;
  return { id: vm.metadata.id, host, cpus, memoryMib, image: vm.spec.image, mac, ip, power: powerOf(vm.spec) };
}
