import { NamespaceType, UnsupportedError } from '@cosi-ts/resource';
import type { Logger } from '@cosi-ts/runtime';
import { type CallOptions, type Clock, namespaced, type Random, type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { type BackupReport, type LevelDBStore, openLevelDBStore } from '@cosi-ts/store-leveldb';
import { backUp } from './back-up.js';
import { dataError } from './data-error.js';
import { DataFolder } from './data-folder.js';
import type { DataOptions } from './data-options.js';
import type { DataProfile } from './data-profile.js';
import { openMasterKey } from './master-key.js';
import { memoryState } from './memory-state.js';
import { recordMarshaler } from './record-marshaler.js';

export interface DataInit {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The resources of the app, and how they are kept. */
export interface Data {
  readonly state: State;
  /** Writes all that there is at this moment to a new data folder, while it stays in use. */
  backUp(into: string, options?: CallOptions): Promise<BackupReport>;
  /** Closes the state, and then what keeps it. Can be called any number of times. */
  close(): Promise<void>;
}

/**
 * Opens the data, and reads all of it: the one place that says how resources are kept.
 *
 * @param options undefined: it is kept in memory, and ends with the process
 * @throws {@link StartError} for everything that a user can put right
 */
export async function openData(profile: DataProfile, options: DataOptions | undefined, init: DataInit): Promise<Data> {
  if (options === undefined) return memoryData(init);
  const folder = new DataFolder(profile, options.folder);
  try {
    await folder.make();
    const masterKey = await openMasterKey(folder, options.key, init.logger);
    const store = await openLevelDBStore(folder.store, { ...init, marshaler: recordMarshaler(masterKey, folder) });
    const data = new StoredData(folder, store, init);
    try {
      await data.load();
    } catch (error) {
      await data.close();
      throw error;
    }
    const { resources, position } = await store.stats();
    init.logger.info({ folder: folder.path, encrypted: masterKey !== undefined, resources, position }, 'store opened');
    return data;
  } catch (error) {
    throw dataError(error, folder);
  }
}

function memoryData(init: DataInit): Data {
  const state = memoryState(init);
  return {
    state,
    backUp: () => Promise.reject(new UnsupportedError('data that is kept in memory cannot be backed up')),
    close: () => state.close(),
  };
}

class StoredData implements Data {
  readonly state: State;
  readonly #folder: DataFolder;
  readonly #store: LevelDBStore;
  readonly #logger: Logger;
  #closing: Promise<void> | undefined;

  constructor(folder: DataFolder, store: LevelDBStore, { clock, random, logger }: DataInit) {
    this.#folder = folder;
    this.#store = store;
    this.#logger = logger;
    this.state = wrapState(
      namespaced((name) => new InMemoryState(name, { clock, random, store: store.namespace(name) })),
    );
  }

  /** Reads every namespace, which would else be read when it is first used: damage is found now. Any type will do. */
  async load(): Promise<void> {
    for (const namespace of this.#store.namespaces) await this.state.list({ namespace, type: NamespaceType.type });
  }

  backUp(into: string, options: CallOptions = {}): Promise<BackupReport> {
    return backUp(this.#folder, this.#store, into, options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.state.close();
    } finally {
      await this.#store.close();
    }
    this.#logger.info({ folder: this.#folder.path }, 'store closed');
  }
}
