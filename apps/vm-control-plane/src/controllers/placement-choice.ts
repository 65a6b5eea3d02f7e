import type { StringMap } from '@cosi-ts/resource';

/** What a machine asks of a host. */
export interface Demand {
  readonly id: string;
  readonly cpus: number;
  readonly memoryMib: number;
  /** Labels that the host must have. */
  readonly hostSelector: Readonly<Record<string, string>>;
  /** Empty: no group. */
  readonly spreadGroup: string;
}

export interface Candidate {
  readonly id: string;
  readonly cpus: number;
  readonly memoryMib: number;
  readonly labels: StringMap;
  /** Takes no new machines. */
  readonly cordoned: boolean;
  /** Is being removed. */
  readonly leaving: boolean;
}

/** What another machine has on a host. */
export interface Reservation {
  readonly id: string;
  readonly host: string;
  readonly cpus: number;
  readonly memoryMib: number;
  readonly spreadGroup: string;
}

export interface Rejection {
  readonly host: string;
  readonly reason: string;
}

export interface Choice {
  /** Undefined: no host will do. */
  readonly host: string | undefined;
  /** Why each host was turned down; empty when one was found. */
  readonly rejections: readonly Rejection[];
}

export interface ChoiceOptions {
  /** The host that the machine has already: it stays there if it can, and its own reservation does not count. */
  readonly present?: string | undefined;
  /** The host to take if it will do, for instance because the machine was found there. */
  readonly preferred?: string | undefined;
}

interface Load {
  cpus: number;
  memoryMib: number;
  /** How many machines of the same group are there. */
  companions: number;
}

/**
 * Chooses a host. Of those that have the labels and the room, it takes the one with the fewest machines of the same
 * group, then the one whose scarcer resource is used least afterwards, then the first by id.
 *
 * @param reservations of all machines; that of the machine itself is left out
 */
export function chooseHost(
  demand: Demand,
  hosts: readonly Candidate[],
  reservations: readonly Reservation[],
  options: ChoiceOptions = {},
): Choice {
  const loads = loadsOf(demand, reservations);
  const fits: Candidate[] = [];
  const rejections: Rejection[] = [];
  for (const host of hosts) {
    const reason = rejection(demand, host, loads.get(host.id) ?? noLoad, host.id === options.present);
    if (reason === undefined) fits.push(host);
    else rejections.push({ host: host.id, reason });
  }
  if (fits.length === 0) return { host: undefined, rejections };
  for (const wanted of [options.present, options.preferred]) {
    if (fits.some(({ id }) => id === wanted)) return { host: wanted, rejections: [] };
  }
  const ranked = fits.map((host) => ({ host, rank: rankOf(demand, host, loads.get(host.id) ?? noLoad) }));
  ranked.sort(
    (a, b) => a.rank.companions - b.rank.companions || a.rank.usage - b.rank.usage || (a.host.id < b.host.id ? -1 : 1),
  );
  return { host: ranked[0]?.host.id, rejections: [] };
}

const noLoad: Readonly<Load> = Object.freeze({ cpus: 0, memoryMib: 0, companions: 0 });

function loadsOf(demand: Demand, reservations: readonly Reservation[]): Map<string, Load> {
  const loads = new Map<string, Load>();
  for (const { id, host, cpus, memoryMib, spreadGroup } of reservations) {
    if (id === demand.id) continue;
    let load = loads.get(host);
    if (load === undefined) {
      load = { ...noLoad };
      loads.set(host, load);
    }
    load.cpus += cpus;
    load.memoryMib += memoryMib;
    if (demand.spreadGroup !== '' && spreadGroup === demand.spreadGroup) load.companions++;
  }
  return loads;
}

/** Why the host will not do, or undefined when it will. */
function rejection(demand: Demand, host: Candidate, load: Load, isPresent: boolean): string | undefined {
  if (host.leaving) return 'is going away';
  if (host.cordoned && !isPresent) return 'is cordoned';
  const lacks = [
    ...labelsLacking(demand.hostSelector, host.labels),
    ...roomLacking('CPUs', demand.cpus, host.cpus, host.cpus - load.cpus),
    ...roomLacking('MiB', demand.memoryMib, host.memoryMib, host.memoryMib - load.memoryMib),
  ];
  return lacks.length === 0 ? undefined : `has ${lacks.join(' and ')}`;
}

function labelsLacking(selector: Readonly<Record<string, string>>, labels: StringMap): string[] {
  return Object.entries(selector)
    .filter(([key, value]) => labels[key] !== value)
    .map(([key, value]) =>
      labels[key] === undefined ? `no label ${key}=${value}` : `the label ${key}=${labels[key]}, not ${value}`,
    );
}

function roomLacking(unit: string, needed: number, capacity: number, free: number): string[] {
  if (needed > capacity) return [`${capacity} ${unit} in all, not ${needed}`];
  if (needed > free) return [`${Math.max(0, free)} of ${capacity} ${unit} free, not ${needed}`];
  return [];
}

function rankOf(demand: Demand, host: Candidate, load: Load) {
  const cpus = (load.cpus + demand.cpus) / host.cpus;
  const memory = (load.memoryMib + demand.memoryMib) / host.memoryMib;
  return { companions: load.companions, usage: Math.max(cpus, memory) };
}
