import type { TypedDraft, TypedPointer, TypedResource } from '@cosi-ts/resource';
import { type HookContext, type QueueController, qtransform, type ReconcileContext } from '@cosi-ts/runtime';
import type { State } from '@cosi-ts/state';
import type { NetworkConfigSpec, VMConfigSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import type { Machine } from '../hypervisor/machine.js';
import { NetworkConfig, VMConfig } from '../resources/index.js';
import type { AddressPlan } from './address-plan.js';

export interface NetworkControllerOptions {
  readonly plan: AddressPlan;
  /** Watched for addresses that become free. */
  readonly state: Pick<State, 'list' | 'watchKindAggregated'>;
  /** The bridge that machines are attached to. Default: `vmbr0`. */
  readonly bridge?: string;
  /**
   * The machines that there are. Their addresses are kept for them, so that one whose VMConfig comes back later is
   * adopted with the address that it has. Default: none.
   */
  readonly machines?: () => Iterable<Pick<Machine, 'id' | 'ip'>>;
}

/**
 * Gives each VM a network: a NetworkConfig with an address and a MAC that no other has.
 *
 * An address is taken as long as there is a NetworkConfig with it: nothing else keeps books, so that nothing can be lost
 * or given twice, across restarts too. One VM at a time: each choice must see those before it. When there is no free
 * address, the NetworkConfig says so, and the VM waits for the end of another one's.
 */
export function networkController(options: NetworkControllerOptions): QueueController<TypedPointer<VMConfigSpec>> {
  const addresses = new Addresses(options);
  return qtransform({
    name: 'NetworkController',
    input: VMConfig.kind,
    output: NetworkConfig.kind,
    transform: (draft, vm, context) => addresses.assign(draft, vm, context),
    finalizerRemoval: (vm) => addresses.forget(vm.metadata.id),
    runHook: (context) => addresses.wakeWaiting(context),
  });
}

class Addresses {
  readonly #plan: AddressPlan;
  readonly #state: Pick<State, 'list' | 'watchKindAggregated'>;
  readonly #bridge: string;
  readonly #machines: () => Iterable<Pick<Machine, 'id' | 'ip'>>;
  /** VMs without an address, the longest waiting first. */
  readonly #waiting = new Set<string>();
  #next = 0;

  constructor({ plan, state, bridge = 'vmbr0', machines = () => [] }: NetworkControllerOptions) {
    this.#plan = plan;
    this.#state = state;
    this.#bridge = bridge;
    this.#machines = machines;
  }

  async assign(
    { spec }: TypedDraft<NetworkConfigSpec>,
    vm: TypedResource<VMConfigSpec>,
    { state }: ReconcileContext,
  ): Promise<void> {
    const { id } = vm.metadata;
    if (spec.ip !== '') return;
    const { taken, preferred } = this.#taken(await state.list(NetworkConfig.kind), id);
    const index = this.#plan.free(taken, { from: this.#next, preferred });
    if (index === undefined) {
      this.#waiting.add(id);
      spec.reason = `no free address: all ${this.#plan.size} of ${this.#plan.cidr} are taken`;
      return;
    }
    this.#waiting.delete(id);
    this.#next = (index + 1) % this.#plan.size;
    Object.assign(spec, { ...this.#plan.at(index), bridge: this.#bridge, reason: '' });
  }

  forget(id: string): void {
    this.#waiting.delete(id);
  }

  /**
   * Has VMs tried again when addresses are given back: as many as there are free ones, the longest waiting first. Who
   * gets one is decided there.
   */
  async wakeWaiting({ signal, queue }: HookContext): Promise<void> {
    await using watch = await this.#state.watchKindAggregated(NetworkConfig.kind, { signal });
    // What was given back while there was no watch.
    await this.#wake(signal, queue);
    for await (const events of watch) {
      const last = events.at(-1);
      if (last?.type === 'errored') throw last.error;
      if (events.some(({ type }) => type === 'destroyed')) await this.#wake(signal, queue);
    }
  }

  async #wake(signal: AbortSignal, queue: HookContext['queue']): Promise<void> {
    if (this.#waiting.size === 0) return;
    const { taken } = this.#taken(await this.#state.list(NetworkConfig.kind, { signal }));
    // Machines that were found can have addresses of other networks.
    let free = this.#plan.size;
    for (const ip of taken) if (this.#plan.indexOf(ip) !== undefined) free--;
    for (const id of this.#waiting) {
      if (free-- <= 0) return;
      queue(VMConfig.at(id));
    }
  }

  /** The addresses that others have, and that of the machine which is there for the VM already. */
  #taken(networks: readonly TypedResource<NetworkConfigSpec>[], id?: string) {
    const taken = new Set<string>();
    for (const { spec } of networks) if (spec.ip !== '') taken.add(spec.ip);
    let preferred = '';
    for (const machine of this.#machines()) {
      if (machine.id === id) preferred = machine.ip;
      else taken.add(machine.ip);
    }
    return { taken, preferred };
  }
}
