import { ClosedError, compareUtf8 } from '@cosi-ts/resource';
import { type Clock, type Random, systemClock, systemRandom, type Timer } from '@cosi-ts/state';
import type { Hypervisor, MachineCallOptions, MachineEvent } from './hypervisor.js';
import type { Machine, MachineSpec } from './machine.js';
import { type Step, stepKilled, stepOut, stepTowards } from './machine-step.js';
import { type MachineStore, type MachineStoreOpener, memoryMachineStore } from './machine-store.js';
import { resolveSimulation, type SimulationOptions, type Span } from './simulation-options.js';
import type { StoredMachine } from './stored-machine.js';

/** An image whose name begins so does not boot: for trying out what happens then. */
const brokenImage = 'broken';

export interface SimulatedHypervisorOptions extends SimulationOptions {
  /** Where machines are kept. Default: in memory. */
  readonly store?: MachineStoreOpener;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A hypervisor whose machines are records with timers: they take their time to boot and to stop, and can fail. */
export class SimulatedHypervisor implements Hypervisor {
  readonly #simulation: Required<SimulationOptions>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #store: MachineStore;
  readonly #machines = new Map<string, StoredMachine>();
  /** What each machine waits for: the end of its boot or shutdown, or the moment it stops by itself. */
  readonly #timers = new Map<string, Timer>();
  readonly #listeners = new Set<(event: MachineEvent) => void>();
  #closing: Promise<void> | undefined;

  /** Use {@link openSimulatedHypervisor}, which brings back the machines of earlier runs. */
  private constructor(options: SimulatedHypervisorOptions) {
    this.#simulation = resolveSimulation(options);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#store = (options.store ?? memoryMachineStore)(() => this.#machines.values());
  }

  static async open(options: SimulatedHypervisorOptions): Promise<SimulatedHypervisor> {
    const hypervisor = new SimulatedHypervisor(options);
    for (const machine of await hypervisor.#store.load()) {
      hypervisor.#machines.set(machine.id, machine);
      if (machine.state === 'booting') hypervisor.#wait(machine.id, 'boot');
      else if (machine.state === 'stopping') hypervisor.#wait(machine.id, 'shutdown');
      else if (machine.state === 'running') hypervisor.#awaitSpontaneousStop(machine.id);
    }
    return hypervisor;
  }

  async get(id: string, options?: MachineCallOptions): Promise<Machine | undefined> {
    this.#check(options);
    return this.#machines.get(id);
  }

  async list(options?: MachineCallOptions): Promise<readonly Machine[]> {
    this.#check(options);
    return [...this.#machines.values()].sort((a, b) => compareUtf8(a.id, b.id));
  }

  async ensure(spec: MachineSpec, options?: MachineCallOptions): Promise<Machine> {
    this.#check(options);
    const current = this.#machines.get(spec.id);
    const step = stepTowards(current, spec);
    if (step !== undefined) this.#take(step);
    return this.#machines.get(spec.id) as StoredMachine;
  }

  async remove(id: string, options?: MachineCallOptions): Promise<Machine | undefined> {
    this.#check(options);
    const current = this.#machines.get(id);
    if (current === undefined) {
      // It may have gone just now: whoever hears that it is gone must not find it again after a crash.
      await this.#store.flush();
      return undefined;
    }
    const step = stepOut(current);
    if (step === 'gone') {
      await this.#drop(id);
      return undefined;
    }
    if (step !== undefined) this.#take(step);
    return this.#machines.get(id);
  }

  async kill(id: string, options?: MachineCallOptions): Promise<Machine | undefined> {
    this.#check(options);
    const current = this.#machines.get(id);
    if (current === undefined) return undefined;
    const step = stepKilled(current);
    if (step !== undefined) this.#take(step);
    return this.#machines.get(id);
  }

  subscribe(listener: (event: MachineEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    this.#listeners.clear();
    await this.#store.close();
  }

  #check(options: MachineCallOptions = {}): void {
    options.signal?.throwIfAborted();
    if (this.#closing !== undefined) throw new ClosedError('the hypervisor is closed');
  }

  #take(step: Step): void {
    const { machine, next } = step;
    if (next !== 'keep') this.#cancel(machine.id);
    this.#machines.set(machine.id, machine);
    this.#store.changed();
    if (next === 'boot' || next === 'shutdown') this.#wait(machine.id, next);
    this.#announce(machine.id, machine);
  }

  /** Removes the machine, and tells of it when it is sure not to come back. */
  async #drop(id: string): Promise<void> {
    this.#cancel(id);
    this.#machines.delete(id);
    this.#store.changed();
    await this.#store.flush();
    if (!this.#machines.has(id)) this.#announce(id, undefined);
  }

  #wait(id: string, what: 'boot' | 'shutdown'): void {
    const end = what === 'boot' ? () => this.#booted(id) : () => this.#stopped(id);
    this.#schedule(id, this.#within(this.#simulation[what]), end);
  }

  #booted(id: string): void {
    const machine = this.#machines.get(id) as StoredMachine;
    const { id: name, image } = machine;
    let error = '';
    if (image.startsWith(brokenImage)) error = `image ${JSON.stringify(image)} does not boot`;
    else if (this.#random.float() < this.#simulation.bootFailureRate) error = `${name} did not come up`;
    if (error !== '') {
      const failed = { ...machine, state: 'failed', failedBoots: machine.failedBoots + 1, error } as const;
      this.#take({ machine: Object.freeze(failed), next: 'nothing' });
      return;
    }
    const running = { ...machine, state: 'running', guestIp: machine.ip, failedBoots: 0, error: '' } as const;
    this.#take({ machine: Object.freeze(running), next: 'nothing' });
    this.#awaitSpontaneousStop(id);
  }

  #stopped(id: string): void {
    const machine = this.#machines.get(id) as StoredMachine;
    if (machine.leaving) {
      // A store that cannot be written says so to whoever asks for the removal next.
      this.#drop(id).catch(() => this.#announce(id, undefined));
      return;
    }
    this.#take({ machine: Object.freeze({ ...machine, state: 'stopped' }), next: 'nothing' });
  }

  #awaitSpontaneousStop(id: string): void {
    const { stopsPerHour } = this.#simulation;
    if (stopsPerHour === 0) return;
    // Independent events at a constant rate: the time to the next one is exponentially distributed.
    const delayMs = (-Math.log(1 - this.#random.float()) * 3_600_000) / stopsPerHour;
    this.#schedule(id, delayMs, () => {
      const machine = this.#machines.get(id) as StoredMachine;
      const stopped = { ...machine, state: 'stopped', guestIp: '', error: 'stopped by itself' } as const;
      this.#take({ machine: Object.freeze(stopped), next: 'nothing' });
    });
  }

  #within({ minMs, maxMs }: Span): number {
    return minMs + this.#random.float() * (maxMs - minMs);
  }

  #schedule(id: string, delayMs: number, callback: () => void): void {
    this.#cancel(id);
    this.#timers.set(
      id,
      this.#clock.schedule(delayMs, () => {
        this.#timers.delete(id);
        callback();
      }),
    );
  }

  #cancel(id: string): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
  }

  #announce(id: string, machine: Machine | undefined): void {
    for (const listener of [...this.#listeners]) listener({ id, machine });
  }
}

/** The hypervisor with the machines that its store holds. Rejects when they cannot be read: nothing is changed then. */
export function openSimulatedHypervisor(options: SimulatedHypervisorOptions = {}): Promise<SimulatedHypervisor> {
  return SimulatedHypervisor.open(options);
}
