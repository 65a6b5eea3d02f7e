import { setTimeout as delay } from 'node:timers/promises';
import type { Seeded } from '@cosi-ts/harness';
import { isConflict, isNotFound, isPhaseConflict, isUnavailable } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import { colors, Factors, groups, type Part, Parts } from './kinds.js';

/** How long a writer rests when the state cannot be reached. */
const restMs = 20;

/** How many parts each writer has. */
const partsOfEach = 40;

/** How many of them are written at once at most. */
const largestBurst = 16;

/** Writes to parts and a factor of its own, so that it knows what must be there when all its writes were acknowledged. */
export class Writer {
  readonly parts = new Map<string, Part>();
  readonly factors = new Map<string, number>();
  readonly #state: State;
  readonly #random: Seeded;
  readonly #ids: readonly string[];
  readonly #group: string;
  /** How many changes were acknowledged. */
  changes = 0;
  /** How many calls were made again because the state could not be reached. */
  repeated = 0;

  /** @param number from 0, below the number of groups */
  constructor(state: State, random: Seeded, number: number) {
    this.#state = state;
    this.#random = random;
    this.#ids = Array.from({ length: partsOfEach }, (_, i) => `p${number * partsOfEach + i}`);
    this.#group = groups[number] as string;
  }

  /** Makes so many changes. */
  async run(changes: number): Promise<void> {
    await this.#putFactor();
    for (let left = changes; left > 0; ) {
      const chance = this.#random.float();
      if (chance < 0.02) {
        await this.#putFactor();
        left--;
      } else if (chance < 0.1) {
        await this.#tearDown(this.#random.pick(this.#ids));
        left--;
      } else if (chance < 0.15) {
        const ids = Array.from({ length: Math.min(left, largestBurst) }, () => this.#random.pick(this.#ids));
        const done = await Promise.all([...new Set(ids)].map((id) => this.#put(id)));
        left -= done.filter(Boolean).length;
      } else if (await this.#put(this.#random.pick(this.#ids))) left--;
    }
  }

  async #putFactor(): Promise<void> {
    const value = this.#random.below(1000);
    await this.#insist(() =>
      this.#state.modify(Factors.at(this.#group), (draft) => {
        draft.spec.value = value;
      }),
    );
    this.factors.set(this.#group, value);
    this.changes++;
  }

  /** False when the part is being torn down yet. */
  async #put(id: string): Promise<boolean> {
    const value = this.#random.below(10_000);
    const present = this.parts.get(id);
    const moves = present === undefined || this.#random.float() < 0.1;
    const part = moves
      ? { value, color: this.#random.pick(colors), group: this.#random.pick(groups) }
      : { ...present, value };
    const isDone = await this.#insist(async () => {
      try {
        await this.#state.modify(Parts.at(id), (draft) => {
          draft.spec.value = part.value;
          draft.metadata.labels.color = part.color;
          draft.metadata.labels.group = part.group;
        });
        return true;
      } catch (error) {
        if (isPhaseConflict(error)) return false;
        throw error;
      }
    });
    if (!isDone) {
      // Gives those who are to take it away time to do so.
      await delay(1);
      return false;
    }
    this.parts.set(id, part);
    this.changes++;
    return true;
  }

  async #tearDown(id: string): Promise<void> {
    await this.#insist(async () => {
      try {
        await this.#state.teardown(Parts.at(id));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
    this.parts.delete(id);
    this.changes++;
  }

  /** Makes the call until it is answered, whatever became of those before. */
  async #insist<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const isPassing = isUnavailable(error) || (isConflict(error) && !isPhaseConflict(error));
        if (!isPassing) throw error;
        this.repeated++;
        await delay(restMs);
      }
    }
  }
}
