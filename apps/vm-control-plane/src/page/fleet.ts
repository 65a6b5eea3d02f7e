import type { ResourceView } from '@cosi-ts/app-kit';
import type { MachineJson } from '../http/machine-view.js';

export const vmStates = ['running', 'booting', 'pending', 'failed', 'stopping', 'releasing', 'stopped'] as const;
export type VMState = (typeof vmStates)[number];

/** A VM as the page shows it. */
export interface FleetVM {
  readonly id: string;
  readonly state: VMState;
  readonly message: string;
  readonly lastError: string;
  readonly isLeaving: boolean;
  /** What it is wanted to be. */
  readonly power: 'running' | 'stopped';
  readonly cpus: number;
  readonly memoryMiB: number;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hostSelector: Readonly<Record<string, string>>;
  readonly spreadGroup: string;
  readonly host: string;
  readonly rejections: readonly { readonly host: string; readonly reason: string }[];
  /** The address that is set aside for it. */
  readonly address: string;
  readonly mac: string;
  /** The address that the guest reports. */
  readonly ip: string;
  readonly boots: number;
  readonly hasMachine: boolean;
  readonly finalizers: readonly string[];
  readonly created: string;
}

export interface FleetHost {
  readonly id: string;
  readonly cpus: number;
  readonly memoryMiB: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly isCordoned: boolean;
  readonly isLeaving: boolean;
  readonly reservedCpus: number;
  readonly reservedMemoryMiB: number;
  readonly vms: number;
}

type Spec = Readonly<Record<string, unknown>>;
type Shelves = Map<string, Map<string, ResourceView>>;

/** The resources and machines as the event stream tells of them, and what the page makes of them. */
export class Fleet {
  #shelves: Shelves = new Map();
  /** What a snapshot has brought so far: shown when it is complete, so that the page doesn't flicker. */
  #incoming: Shelves | undefined;
  readonly #machines = new Map<string, MachineJson>();

  /** Everything comes anew. */
  reset(): void {
    this.#incoming = new Map();
  }

  load(resources: readonly ResourceView[]): void {
    for (const resource of resources) put(this.#incoming ?? this.#shelves, resource);
  }

  /** The snapshot is complete. */
  ready(): void {
    if (this.#incoming !== undefined) this.#shelves = this.#incoming;
    this.#incoming = undefined;
  }

  /** Gives what was there before. */
  change(event: 'created' | 'updated' | 'destroyed', resource: ResourceView): ResourceView | undefined {
    const before = this.#shelves.get(nameOf(resource.type))?.get(resource.id);
    if (event === 'destroyed') this.#shelves.get(nameOf(resource.type))?.delete(resource.id);
    else put(this.#shelves, resource);
    return before;
  }

  setMachines(machines: readonly MachineJson[]): void {
    this.#machines.clear();
    for (const machine of machines) this.#machines.set(machine.id, machine);
  }

  /** Gives what was there before. */
  setMachine(id: string, machine: MachineJson | null): MachineJson | undefined {
    const before = this.#machines.get(id);
    if (machine === null) this.#machines.delete(id);
    else this.#machines.set(id, machine);
    return before;
  }

  /** In the order of ids, numbers in them counted as numbers. */
  vms(): readonly FleetVM[] {
    const vms = [...this.#shelf('VMConfigs').values()].map((config) => this.#vm(config));
    return vms.sort((a, b) => byId.compare(a.id, b.id));
  }

  hosts(): readonly FleetHost[] {
    const reserved = new Map<string, { cpus: number; memoryMiB: number; vms: number }>();
    for (const { spec } of this.#shelf('VMPlacements').values()) {
      const { host = '', cpus = 0, memoryMiB = 0 } = spec as { host?: string; cpus?: number; memoryMiB?: number };
      const sum = reserved.get(host) ?? { cpus: 0, memoryMiB: 0, vms: 0 };
      reserved.set(host, { cpus: sum.cpus + cpus, memoryMiB: sum.memoryMiB + memoryMiB, vms: sum.vms + 1 });
    }
    const hosts = [...this.#shelf('Hosts').values()].map(({ id, labels, phase, spec }): FleetHost => {
      const {
        cpus = 0,
        memoryMiB = 0,
        cordoned = false,
      } = spec as { cpus?: number; memoryMiB?: number; cordoned?: boolean };
      const own = reserved.get(id);
      return {
        id,
        cpus,
        memoryMiB,
        labels,
        isCordoned: cordoned,
        isLeaving: phase === 'tearingDown',
        reservedCpus: own?.cpus ?? 0,
        reservedMemoryMiB: own?.memoryMiB ?? 0,
        vms: own?.vms ?? 0,
      };
    });
    return hosts.sort((a, b) => byId.compare(a.id, b.id));
  }

  /** Machines that belong to no VM. */
  orphans(): readonly MachineJson[] {
    const configs = this.#shelf('VMConfigs');
    return [...this.#machines.values()].filter(({ id }) => !configs.has(id)).sort((a, b) => byId.compare(a.id, b.id));
  }

  /** How many addresses are in use. */
  addressesTaken(): number {
    let taken = 0;
    for (const { spec } of this.#shelf('NetworkConfigs').values()) if (textOf(spec as Spec, 'ip') !== '') taken++;
    return taken;
  }

  #vm(config: ResourceView): FleetVM {
    const { id, labels, finalizers, created } = config;
    const wanted = config.spec as Spec;
    const status = this.#specOf('VMStatuses', id);
    const placement = this.#specOf('VMPlacements', id);
    const network = this.#specOf('NetworkConfigs', id);
    const isLeaving = config.phase === 'tearingDown';
    return {
      id,
      labels,
      finalizers,
      created,
      isLeaving,
      state: stateOf(textOf(status, 'state'), isLeaving),
      message: textOf(status, 'message'),
      lastError: textOf(status, 'lastError'),
      power: wanted.power === 'stopped' ? 'stopped' : 'running',
      cpus: numberOf(wanted, 'cpus'),
      memoryMiB: numberOf(wanted, 'memoryMiB'),
      image: textOf(wanted, 'image'),
      hostSelector: (wanted.hostSelector ?? {}) as Readonly<Record<string, string>>,
      spreadGroup: textOf(wanted, 'spreadGroup'),
      host: textOf(placement, 'host'),
      rejections: (placement.rejections ?? []) as FleetVM['rejections'],
      address: textOf(network, 'ip'),
      mac: textOf(network, 'mac'),
      ip: textOf(status, 'ip'),
      boots: numberOf(status, 'boots'),
      hasMachine: this.#machines.has(id),
    };
  }

  #shelf(name: string): ReadonlyMap<string, ResourceView> {
    return this.#shelves.get(name) ?? none;
  }

  #specOf(name: string, id: string): Spec {
    return (this.#shelf(name).get(id)?.spec ?? {}) as Spec;
  }
}

const none: ReadonlyMap<string, ResourceView> = new Map();
const byId = new Intl.Collator('en', { numeric: true });

/** `VMConfigs` of `VMConfigs.vms.cosi.dev` */
export function nameOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

function put(shelves: Shelves, resource: ResourceView): void {
  const name = nameOf(resource.type);
  let shelf = shelves.get(name);
  if (shelf === undefined) {
    shelf = new Map();
    shelves.set(name, shelf);
  }
  shelf.set(resource.id, resource);
}

/** A VM that is being deleted looks so from the first moment. */
function stateOf(state: string, isLeaving: boolean): VMState {
  const known = (vmStates as readonly string[]).includes(state) ? (state as VMState) : 'pending';
  return isLeaving && known !== 'releasing' ? 'stopping' : known;
}

// Zero values are left out of what is sent.
const textOf = (spec: Spec, field: string) => (spec[field] ?? '') as string;
const numberOf = (spec: Spec, field: string) => (spec[field] ?? 0) as number;
