import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encrypted, protobufMarshaler } from '@cosi-ts/marshalers';
import { type NamespacedState, namespaced } from '@cosi-ts/state';
import { InMemoryState, type Marshaler } from '@cosi-ts/state-inmem';
import { type LevelDBStore, openLevelDBStore } from '@cosi-ts/store-leveldb';
import { type StateServer, serveState } from '@cosi-ts/transport';
import { types } from './shop.js';

export const ourBackends = ['in-memory', 'LevelDB', 'LevelDB, encrypted'] as const;
export type OurBackend = (typeof ourBackends)[number];

/** A file system in memory where there is one: what the disk does is not the matter here. */
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const key = new Uint8Array(32).fill(7);

const marshalers: Readonly<Record<OurBackend, Marshaler | undefined>> = {
  'in-memory': undefined,
  LevelDB: protobufMarshaler({ types }),
  'LevelDB, encrypted': encrypted(protobufMarshaler({ types }), { keys: () => key }),
};

/** A server that can be taken away and come back, on one port. */
export interface ServedState extends AsyncDisposable {
  /** `host:port`; it stays the same. */
  readonly address: string;
  /** Cuts all connections, and leaves the port. */
  pause(): Promise<void>;
  /** Serves on the port again: the same state. */
  resume(): Promise<void>;
  /** Closes the state, opens what its store kept, and serves that on the port. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Serves a state of ours with nothing in it. */
export async function serveOurs(backend: string): Promise<ServedState> {
  if (!ourBackends.includes(backend as OurBackend)) throw new TypeError(`there is no backend ${backend}`);
  const served = new OurServer(backend as OurBackend);
  await served.reopen();
  return served;
}

class OurServer implements ServedState {
  address = '127.0.0.1:0';
  readonly #backend: OurBackend;
  #folder: string | undefined;
  #store: LevelDBStore | undefined;
  #state: NamespacedState | undefined;
  #server: StateServer | undefined;

  constructor(backend: OurBackend) {
    this.#backend = backend;
  }

  async pause(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
  }

  async resume(): Promise<void> {
    if (this.#state === undefined) throw new TypeError('there is no state to serve');
    this.#server = await serveState(this.#state, { address: this.address, types });
    this.address = this.#server.address;
  }

  async reopen(): Promise<void> {
    await this.pause();
    await this.#closeState();
    this.#state = await this.#open();
    await this.resume();
  }

  async #open(): Promise<NamespacedState> {
    const marshaler = marshalers[this.#backend];
    if (marshaler === undefined) return namespaced((name) => new InMemoryState(name));
    this.#folder ??= await mkdtemp(join(base, 'cosi-interop-'));
    const store = await openLevelDBStore(this.#folder, { marshaler, durability: 'os' });
    this.#store = store;
    return namespaced((name) => new InMemoryState(name, { store: store.namespace(name) }));
  }

  async #closeState(): Promise<void> {
    await this.#state?.close();
    await this.#store?.close();
  }

  async close(): Promise<void> {
    await this.pause();
    await this.#closeState();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
