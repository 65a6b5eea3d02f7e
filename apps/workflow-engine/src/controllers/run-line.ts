import type { TypedResource } from '@cosi-ts/resource';
import type { Concurrency, Definition } from '../definition/definition.js';
import { Room } from '../engine/room.js';
import type { WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import type { JsonObject } from '../json.js';

interface Waiter {
  readonly key: string;
  readonly policy: Concurrency['policy'];
  isGranted: boolean;
}

/** Runs with the same concurrency key, one after the other, or so many at once. */
export class RunLine {
  readonly #room = new Room({ limits: {}, defaultLimit: Number.POSITIVE_INFINITY });
  readonly #waiters = new Map<string, Waiter>();
  readonly #wake: (id: string) => void;

  /** @param wake told of a run that has waited, and can begin */
  constructor(wake: (id: string) => void) {
    this.#wake = wake;
    this.#room.open();
  }

  has(id: string): boolean {
    return this.#waiters.has(id);
  }

  /** A run that has begun already. */
  hold(id: string, key: string): void {
    this.#waiters.set(id, { key, policy: 'wait', isGranted: true });
    this.#room.hold(id, { pool: undefined, key: { name: key, limit: 1 } });
  }

  /** A new run. Gives why it is refused. Throws what the expression of the key throws. */
  enter(
    { metadata, spec }: TypedResource<WorkflowRunSpec>,
    definition: Definition,
    inputs: JsonObject,
  ): string | undefined {
    const { id } = metadata;
    const { concurrency } = definition;
    if (concurrency === undefined) {
      this.#waiters.set(id, { key: '', policy: 'wait', isGranted: true });
      return undefined;
    }
    const { limit, policy } = concurrency;
    const value = concurrency.key.evaluate({ inputs, run: { id, workflow: spec.workflow } });
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    if (policy === 'refuse' && !this.#room.isFree({ name: key, limit })) {
      return `${this.#room.holders(key).join(', ')} has the concurrency key ${key}`;
    }
    const waiter: Waiter = { key, policy, isGranted: false };
    this.#waiters.set(id, waiter);
    let within = true;
    const need = { pool: undefined, key: { name: key, limit }, priority: definition.priority + spec.priority };
    this.#room.request(id, need, () => {
      waiter.isGranted = true;
      if (!within) this.#wake(id);
    });
    within = false;
    return undefined;
  }

  leave(id: string): void {
    this.#room.release(id);
    this.#waiters.delete(id);
  }

  keyOf(id: string): string {
    return this.#waiters.get(id)?.key ?? '';
  }

  /** What a run waits for, in words; undefined: it can begin. */
  waitsFor(id: string): string | undefined {
    const waiter = this.#waiters.get(id);
    return waiter === undefined || waiter.isGranted ? undefined : `waits for the concurrency key ${waiter.key}`;
  }

  /** The runs that are to end so that this one can begin. */
  toCancel(id: string): readonly string[] {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined || waiter.isGranted || waiter.policy !== 'cancel-running') return [];
    return this.#room.holders(waiter.key);
  }
}
