import type { TypedResource } from '@cosi-ts/resource';
import { isNotFound, isPhaseConflict } from '@cosi-ts/resource';
import type { ReconcileContext } from '@cosi-ts/runtime';
import { Room } from '../engine/room.js';
import type { StepRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { StepRun } from '../resources/index.js';
import { labels } from '../resources/labels.js';

export interface StepClaimsOptions {
  /** The name of the process. */
  readonly worker: string;
  /** What it serves. */
  readonly serves: ReadonlyMap<string, string>;
  readonly executors: ReadonlySet<string>;
  /** How many steps at once. */
  readonly slots: number;
  /** The controller that executes them. */
  readonly executing: string;
}

/** What a worker takes of the steps that ask for one: those with labels that it serves, as many as it has slots for. */
export class StepClaims {
  readonly #options: StepClaimsOptions;
  readonly #room: Room;
  readonly #asked = new Set<string>();
  readonly #granted = new Set<string>();
  #onRoom: (id: string) => void = () => undefined;
  #isEnded = false;

  constructor(options: StepClaimsOptions) {
    this.#options = options;
    this.#room = new Room({ limits: {}, defaultLimit: options.slots });
    this.#room.open();
  }

  /** Told of a step for which there is room now. */
  onRoom(listener: (id: string) => void): void {
    this.#onRoom = listener;
  }

  /** Takes no more. */
  end(): void {
    this.#isEnded = true;
  }

  /** Takes the step, when there is room, and no other worker was quicker. */
  async claim(
    stepRun: TypedResource<StepRunSpec>,
    { state }: ReconcileContext,
  ): Promise<TypedResource<StepRunSpec> | undefined> {
    const { id } = stepRun.metadata;
    if (this.#isEnded || !this.#fits(stepRun)) return undefined;
    if (!this.#granted.has(id)) this.#ask(id, stepRun.spec.priority);
    if (!this.#granted.has(id)) return undefined;
    const { worker, executing } = this.#options;
    try {
      const mine = await state.updateWithConflicts(
        StepRun.at(id),
        (draft) => {
          if (draft.spec.worker !== '' || draft.spec.attempt !== stepRun.spec.attempt) return;
          draft.spec.worker = worker;
          draft.metadata.labels[labels.worker] = worker;
          draft.metadata.finalizers.add(executing);
        },
        { owner: '' },
      );
      if (mine.spec.worker === worker) return mine;
    } catch (error) {
      if (!isNotFound(error) && !isPhaseConflict(error)) {
        this.giveBack(id);
        throw error;
      }
    }
    this.giveBack(id);
    return undefined;
  }

  /** The step is not executed here any more. */
  giveBack(id: string): void {
    this.#granted.delete(id);
    this.forget(id);
  }

  forget(id: string): void {
    this.#asked.delete(id);
    this.#granted.delete(id);
    this.#room.release(id);
  }

  #ask(id: string, priority: number): void {
    if (this.#asked.has(id)) return;
    this.#asked.add(id);
    let within = true;
    this.#room.request(id, { pool: 'steps', key: undefined, priority }, () => {
      this.#granted.add(id);
      if (!within) this.#onRoom(id);
    });
    within = false;
  }

  #fits({ metadata, spec }: TypedResource<StepRunSpec>): boolean {
    const { serves, executors } = this.#options;
    if (!executors.has(spec.executor)) return false;
    const wanted = Object.entries(metadata.labels).filter(([name]) => name.startsWith(labels.runsOn));
    return wanted.length > 0 && wanted.every(([name, value]) => serves.get(name.slice(labels.runsOn.length)) === value);
  }
}
