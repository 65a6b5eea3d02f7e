import { Heap } from './heap.js';

/** What somebody needs to begin: a place in a pool, a key, or both. */
export interface Need {
  readonly pool: string | undefined;
  readonly key: { readonly name: string; readonly limit: number } | undefined;
}

interface Request extends Need {
  readonly id: string;
  readonly priority: number;
  readonly order: number;
  readonly grant: () => void;
  isOpen: boolean;
}

interface Pool {
  readonly limit: number;
  used: number;
  readonly waiting: Heap<Request>;
}

interface Key {
  used: number;
  readonly waiting: Heap<Request>;
}

export interface RoomOptions {
  /** How many at once of each pool. */
  readonly limits: Readonly<Record<string, number>>;
  /** Of the pools that are not named there. */
  readonly defaultLimit: number;
}

const isBefore = (a: Request, b: Request) =>
  a.priority > b.priority || (a.priority === b.priority && a.order < b.order);

/**
 * Who may begin, of all that want to: those with the higher priority first, equals in the order in which they asked. A
 * key that is taken holds back only those that need it. It is made again from what is stored: {@link hold} tells it who
 * has what, and nobody is granted anything before {@link open}.
 */
export class Room {
  readonly #options: RoomOptions;
  readonly #pools = new Map<string, Pool>();
  readonly #keys = new Map<string, Key>();
  readonly #requests = new Map<string, Request>();
  readonly #held = new Map<string, Need>();
  #isOpen = false;
  #order = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  open(): void {
    this.#isOpen = true;
    for (const pool of this.#pools.values()) this.#serve(pool);
  }

  /** Asks for room. `grant` is called once, within this call when there is room. */
  request(id: string, need: Need & { readonly priority: number }, grant: () => void): void {
    this.release(id);
    const { pool, key, priority } = need;
    const request: Request = { id, pool, key, priority, order: this.#order++, grant, isOpen: true };
    this.#requests.set(id, request);
    this.#wait(request);
  }

  /** Somebody has room already, whatever the limits say. */
  hold(id: string, need: Need): void {
    this.release(id);
    this.#take(id, need);
  }

  /** Gives back what somebody has, or asked for. Of one that is not known nothing happens. */
  release(id: string): void {
    const request = this.#requests.get(id);
    if (request !== undefined) {
      request.isOpen = false;
      this.#requests.delete(id);
    }
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    const pool = this.#pool(held.pool);
    pool.used--;
    if (held.key !== undefined) this.#giveBackKey(held.key.name);
    this.#serve(pool);
  }

  /** Who has the key. */
  holders(key: string): readonly string[] {
    return [...this.#held].filter(([, need]) => need.key?.name === key).map(([id]) => id);
  }

  isFree({ name, limit }: NonNullable<Need['key']>): boolean {
    return (this.#keys.get(name)?.used ?? 0) < limit;
  }

  #wait(request: Request): void {
    const pool = this.#pool(request.pool);
    pool.waiting.push(request);
    this.#serve(pool);
  }

  #serve(pool: Pool): void {
    while (this.#isOpen && pool.used < pool.limit) {
      const request = pool.waiting.shift();
      if (request === undefined) return;
      if (!request.isOpen) continue;
      if (request.key !== undefined && !this.isFree(request.key)) {
        this.#key(request.key.name).waiting.push(request);
        continue;
      }
      request.isOpen = false;
      this.#requests.delete(request.id);
      this.#take(request.id, request);
      request.grant();
    }
  }

  #take(id: string, { pool, key }: Need): void {
    this.#held.set(id, { pool, key });
    this.#pool(pool).used++;
    if (key !== undefined) this.#key(key.name).used++;
  }

  /** The best of those that wait for the key comes back to its pool. */
  #giveBackKey(name: string): void {
    const key = this.#key(name);
    key.used--;
    for (let next = key.waiting.shift(); next !== undefined; next = key.waiting.shift()) {
      if (!next.isOpen) continue;
      this.#wait(next);
      return;
    }
    if (key.used === 0) this.#keys.delete(name);
  }

  #pool(name: string | undefined): Pool {
    const { limits, defaultLimit } = this.#options;
    const known = this.#pools.get(name ?? '');
    if (known !== undefined) return known;
    const limit = name === undefined ? Number.POSITIVE_INFINITY : (limits[name] ?? defaultLimit);
    const pool = { limit, used: 0, waiting: new Heap<Request>(isBefore) };
    this.#pools.set(name ?? '', pool);
    return pool;
  }

  #key(name: string): Key {
    let key = this.#keys.get(name);
    if (key === undefined) {
      key = { used: 0, waiting: new Heap<Request>(isBefore) };
      this.#keys.set(name, key);
    }
    return key;
  }
}
