import { create } from '@bufbuild/protobuf';
import type { TypedPointer, TypedResource } from '@cosi-ts/resource';
import { formatVersion, label } from '@cosi-ts/resource';
import {
  type ControllerState,
  exclusive,
  type InputMetadata,
  type JobContext,
  mapped,
  mappedDestroyReady,
  primary,
  type QueueController,
  type ReconcileContext,
} from '@cosi-ts/runtime';
import {
  HostRejectionSchema,
  type HostSpec,
  type VMConfigSpec,
  type VMPlacementSpec,
} from '../gen/cosi/vms/v1/vms_pb.js';
import { Host, hostLabel, problemOf, spreadLabel, VMConfig, VMPlacement } from '../resources/index.js';
import { type Candidate, chooseHost, type Reservation } from './placement-choice.js';

export interface PlacementControllerOptions {
  /** Where a machine of that id was found: it is placed there if that is possible. */
  readonly foundOn?: (id: string) => string | undefined;
}

/**
 * Gives each VM a host, as a VMPlacement that reserves what it needs there. A VM for which there is no host has a
 * placement too, which says why each host was turned down; it is tried again when a host or a reservation changes.
 *
 * A VM stays where it is. It is moved when it has grown past its host, when the host no longer has its labels or is going
 * away; if it can be moved nowhere, it keeps the place and the size that it has, and the placement says why.
 *
 * One VM at a time: each choice must see the reservations that came before it.
 *
 * Written by hand, because it is no function of one VM: the end of a reservation has every VM looked at that waits for
 * room, and one that has its place is not chosen for again. A `qtransform` maps its output to the input of it alone.
 */
export class PlacementController implements QueueController<TypedPointer<VMConfigSpec>> {
  readonly name = 'PlacementController';
  readonly outputs = [exclusive(VMPlacement)];
  readonly inputs = [
    primary(VMConfig.kind),
    mapped(Host.kind, (host, context) => this.#concerned(host, context)),
    mappedDestroyReady(VMPlacement.kind, ({ id }) => [VMConfig.at(id), ...this.#waitingItems()]),
  ];

  readonly #foundOn: (id: string) => string | undefined;
  /** VMs that did not get what they want. Every VM is reconciled at the start, so that none is missing here. */
  readonly #waiting = new Set<string>();
  /** What each VM that has its place wanted, and how its host was then: the place is good as long as both are so. */
  readonly #settled = new Map<string, string>();

  constructor(options: PlacementControllerOptions = {}) {
    this.#foundOn = options.foundOn ?? (() => undefined);
  }

  async reconcile(pointer: TypedPointer<VMConfigSpec>, { state }: ReconcileContext): Promise<void> {
    const { id } = pointer;
    const vm = await state.find(pointer);
    if (vm === undefined || vm.metadata.phase === 'tearingDown') {
      this.#waiting.delete(id);
      this.#settled.delete(id);
      // Until the machine is gone the place is held by a finalizer; its end brings the item back here.
      const isGone = await state.destroyIfReady(VMPlacement.at(id));
      if (vm !== undefined && isGone) await state.removeFinalizer(pointer);
      return;
    }
    if (!vm.metadata.finalizers.includes(this.name)) await state.addFinalizer(pointer);

    let present = await state.find(VMPlacement.at(id));
    if (present?.metadata.phase === 'tearingDown') {
      // The place of an earlier VM of this id.
      if (!(await state.destroyIfReady(VMPlacement.at(id)))) return;
      present = undefined;
    }
    // Others that wrote something else than this process would store: the VM controller says so.
    if (problemOf(vm.spec) !== undefined) return;
    const settled = await this.#settledKey(vm, present, state);
    if (settled !== undefined && this.#settled.get(id) === settled) return;
    const placed = await this.#place(vm, present, state);
    const key = await this.#settledKey(vm, placed, state);
    if (key === undefined) this.#settled.delete(id);
    else this.#settled.set(id, key);
  }

  async #settledKey(
    { spec, metadata }: TypedResource<VMConfigSpec>,
    placement: TypedResource<VMPlacementSpec> | undefined,
    state: ControllerState,
  ): Promise<string | undefined> {
    if (placement === undefined || placement.spec.host === '' || this.#waiting.has(metadata.id)) return undefined;
    const host = await state.find(Host.at(placement.spec.host));
    if (host === undefined) return undefined;
    const { cpus, memoryMib, hostSelector, spreadGroup } = spec;
    const { version, created } = host.metadata;
    const parts = [placement.metadata.created, host.metadata.id, created, formatVersion(version)];
    return JSON.stringify([cpus, memoryMib, hostSelector, spreadGroup, ...parts.map(String)]);
  }

  async #place(
    vm: TypedResource<VMConfigSpec>,
    present: TypedResource<VMPlacementSpec> | undefined,
    state: ControllerState,
  ): Promise<TypedResource<VMPlacementSpec>> {
    const { id } = vm.metadata;
    const { cpus, memoryMib, hostSelector, spreadGroup } = vm.spec;
    const hosts = (await state.list(Host.kind)).map(candidate);
    const reservations = (await state.list(VMPlacement.kind)).map(reservation);
    const presentHost = hosts.find((host) => host.id === present?.spec.host)?.id;
    const choice = chooseHost({ id, cpus, memoryMib, hostSelector, spreadGroup }, hosts, reservations, {
      present: presentHost,
      preferred: this.#foundOn(id),
    });
    if (choice.host === undefined) this.#waiting.add(id);
    else this.#waiting.delete(id);

    return state.modify(VMPlacement.at(id), ({ spec, metadata }) => {
      spec.rejections = choice.rejections.map((rejection) => create(HostRejectionSchema, rejection));
      const host = choice.host ?? presentHost ?? '';
      if (choice.host !== undefined || host === '') {
        spec.cpus = host === '' ? 0 : cpus;
        spec.memoryMib = host === '' ? 0 : memoryMib;
      }
      spec.host = host;
      setLabel(metadata.labels, hostLabel, host);
      setLabel(metadata.labels, spreadLabel, spreadGroup);
    });
  }

  /** The VMs that a change of a host may help or harm. */
  async #concerned(host: InputMetadata, { state }: JobContext) {
    const onIt = await state.list(VMPlacement.kind, { labels: [label(hostLabel).is(host.id)] });
    return [...onIt.map(({ metadata }) => VMConfig.at(metadata.id)), ...this.#waitingItems()];
  }

  #waitingItems() {
    return [...this.#waiting].map((id) => VMConfig.at(id));
  }
}

function candidate({ metadata, spec }: TypedResource<HostSpec>): Candidate {
  const { id, labels, phase } = metadata;
  const { cpus, memoryMib, cordoned } = spec;
  return { id, labels, cpus, memoryMib, cordoned, leaving: phase === 'tearingDown' };
}

function reservation({ metadata, spec }: TypedResource<VMPlacementSpec>): Reservation {
  const { host, cpus, memoryMib } = spec;
  return { id: metadata.id, host, cpus, memoryMib, spreadGroup: metadata.labels[spreadLabel] ?? '' };
}

function setLabel(labels: Record<string, string>, key: string, value: string): void {
  if (value === '') delete labels[key];
  else labels[key] = value;
}
