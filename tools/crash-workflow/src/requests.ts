import type { Seeded } from '@cosi-ts/harness';
import type { Asked } from './check-runs.js';
import type { Workload } from './workloads.js';

/** What can be asked of the engine; asking again what it has heard already changes nothing. */
export type Request =
  | { readonly ask: 'define'; readonly with: { readonly name: string; readonly source: string } }
  | { readonly ask: 'start'; readonly with: { readonly id: string; readonly workflow: string; readonly n: number } }
  | {
      readonly ask: 'signal';
      readonly with: { readonly id: string; readonly name: string; readonly payload: object };
    }
  | { readonly ask: 'cancel' | 'retry'; readonly with: { readonly id: string } }
  | { readonly ask: 'pause'; readonly with: { readonly id: string; readonly paused: boolean } };

interface Life extends Asked {
  isCancelled: boolean;
  isAnswered: boolean;
  isPaused: boolean;
  retries: number;
}

/** What is known of a run when something is asked of it. */
export interface Runs {
  readonly open: ReadonlySet<string>;
  /** Failed or cancelled. */
  readonly broken: ReadonlySet<string>;
}

/** What people do: they start runs, and at some moment answer, pause, resume and cancel them. */
export class People {
  readonly #random: Seeded;
  readonly #workloads: readonly Workload[];
  readonly #lives: Life[] = [];

  constructor(random: Seeded, workloads: readonly Workload[]) {
    this.#random = random;
    this.#workloads = workloads.flatMap((each) => Array.from({ length: each.weight }, () => each));
  }

  /** Everything that was asked for. */
  get asked(): readonly Asked[] {
    return this.#lives;
  }

  /** Whether a run is to be paused, as far as was asked. */
  isPaused(run: string): boolean {
    return this.#lives.some(({ id, isPaused }) => id === run && isPaused);
  }

  definitions(): Request[] {
    return [...new Set(this.#workloads)].map(({ name, source }) => ({ ask: 'define', with: { name, source } }));
  }

  start(): Request {
    const workload = this.#random.pick(this.#workloads);
    const id = `${workload.name}-${this.#lives.length}`;
    const n = 2 + this.#random.below(6);
    const approved = this.#random.float() < 0.7;
    this.#lives.push({ id, workload, n, approved, isCancelled: false, isAnswered: false, isPaused: false, retries: 0 });
    return { ask: 'start', with: { id, workflow: workload.name, n } };
  }

  /** Something about one of the runs; undefined when they are left alone. */
  act({ open, broken }: Runs): Request | undefined {
    const again = this.#lives.filter(({ id, retries }) => broken.has(id) && retries < 2);
    if (again.length > 0 && this.#random.float() < 0.15) return this.#retry(this.#random.pick(again));
    const lives = this.#lives.filter(({ id }) => open.has(id));
    if (lives.length === 0) return;
    const life = this.#random.pick(lives);
    const chance = this.#random.float();
    if (chance < 0.12) {
      life.isCancelled = true;
      return { ask: 'cancel', with: { id: life.id } };
    }
    if (life.workload.asks !== undefined && !life.isAnswered && chance < 0.6) return this.#answer(life);
    if (chance < 0.7) return;
    life.isPaused = !life.isPaused;
    return { ask: 'pause', with: { id: life.id, paused: life.isPaused } };
  }

  /** What is left to do so that every run can come to its end. */
  settle(): Request[] {
    return this.#lives.flatMap((life) => {
      const left: Request[] = [];
      if (life.isPaused) left.push({ ask: 'pause', with: { id: life.id, paused: false } });
      life.isPaused = false;
      if (life.workload.asks !== undefined && !life.isAnswered) left.push(this.#answer(life));
      return left;
    });
  }

  #retry(life: Life): Request {
    // What was asked of it before is over, and its question is asked again if it was refused.
    Object.assign(life, { isCancelled: false, isAnswered: false, isPaused: false, retries: life.retries + 1 });
    return { ask: 'retry', with: { id: life.id } };
  }

  #answer(life: Life): Request {
    life.isAnswered = true;
    const payload = { approved: life.approved, by: 'somebody' };
    return { ask: 'signal', with: { id: life.id, name: life.workload.asks as string, payload } };
  }
}
