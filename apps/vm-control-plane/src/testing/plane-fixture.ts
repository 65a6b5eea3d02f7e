import { memoryState } from '@cosi-ts/app-kit';
import { isNotFound, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import { type State, VirtualClock } from '@cosi-ts/state';
import { RecordingLogger } from '@cosi-ts/testing';
import { ControlPlane, type ControlPlaneOptions } from '../control-plane.js';
import type { VMConfigSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import {
  openSimulatedHypervisor,
  type SimulatedHypervisor,
  type SimulatedHypervisorOptions,
} from '../hypervisor/simulated-hypervisor.js';
import { Host, VMConfig, type VMState, VMStatus } from '../resources/index.js';
import { seededRandom } from '../seeded-random.js';

export interface FixtureOptions extends Pick<ControlPlaneOptions, 'network' | 'vm'> {
  readonly simulation?: Omit<SimulatedHypervisorOptions, 'clock' | 'random'>;
  /** Runs before the controllers do. */
  readonly before?: (fixture: { state: State; hypervisor: SimulatedHypervisor; clock: VirtualClock }) => Promise<void>;
}

/** A control plane in virtual time. */
export class PlaneFixture implements AsyncDisposable {
  readonly logger: RecordingLogger;

  private constructor(
    readonly clock: VirtualClock,
    readonly state: State,
    readonly hypervisor: SimulatedHypervisor,
    readonly plane: ControlPlane,
    logger: RecordingLogger,
  ) {
    this.logger = logger;
  }

  static async start(options: FixtureOptions = {}): Promise<PlaneFixture> {
    const { simulation, before, ...rest } = options;
    const clock = new VirtualClock();
    const random = seededRandom(7);
    const logger = new RecordingLogger();
    const state = memoryState({ clock, random });
    const hypervisor = await openSimulatedHypervisor({ ...simulation, clock, random });
    await before?.({ state, hypervisor, clock });
    const plane = await ControlPlane.start({ ...rest, state, hypervisor, logger, clock, random });
    return new PlaneFixture(clock, state, hypervisor, plane, logger);
  }

  addHost(id: string, cpus = 16, memoryMib = 32_768, labels: Record<string, string> = {}) {
    return this.state.create(Host.new(id, { cpus, memoryMib }, { labels }));
  }

  addVM(
    id: string,
    spec: Partial<Pick<VMConfigSpec, 'cpus' | 'memoryMib' | 'image' | 'power' | 'hostSelector' | 'spreadGroup'>> = {},
  ) {
    return this.state.create(VMConfig.new(id, { cpus: 1, memoryMib: 512, image: 'debian-12', ...spec }));
  }

  async find<S>(pointer: TypedPointer<S>): Promise<TypedResource<S> | undefined> {
    try {
      return await this.state.get(pointer);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Lets time pass until the check passes without throwing; in the end, throws what it threw last. */
  async until(check: () => Promise<void> | void, forMs = 300_000): Promise<void> {
    const stepMs = 100;
    for (let passedMs = 0; ; passedMs += stepMs) {
      try {
        return await check();
      } catch (error) {
        if (passedMs >= forMs) throw error;
      }
      await this.clock.advance(stepMs);
    }
  }

  /** Waits for a VM to be in a state, and gives its status. */
  async reaches(id: string, wanted: VMState) {
    let found: TypedResource<{ readonly state: string; readonly message: string }> | undefined;
    await this.until(async () => {
      found = await this.find(VMStatus.at(id));
      if (found?.spec.state !== wanted) {
        throw new Error(`${id} is ${found?.spec.state ?? 'absent'}, not ${wanted}: ${found?.spec.message ?? ''}`);
      }
    });
    return (await this.state.get(VMStatus.at(id))).spec;
  }

  async gone(id: string): Promise<void> {
    await this.until(async () => {
      const vm = await this.find(VMConfig.at(id));
      if (vm !== undefined) throw new Error(`${id} is still there, held by ${vm.metadata.finalizers.join(', ')}`);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.plane.close();
  }
}
