import { CorruptError, pointerKey, pointerText, type Resource } from '@cosi-ts/resource';
import type { BackingStore, Commit, EventLog, Marshaler, StoreChange } from '@cosi-ts/state-inmem';
import type { Connection } from './connection.js';
import type { GroupCommit } from './group-commit.js';
import { type KeyRange, namespaceRange } from './keys.js';
import type { Ledger } from './ledger.js';
import { type BadRecord, type RecordChunk, RecordReader, readRecords } from './record-reader.js';
import { tallyFault } from './tally.js';

export interface NamespaceStoreInit {
  readonly namespace: string;
  readonly connection: Connection;
  readonly marshaler: Marshaler;
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly commit: GroupCommit;
  /** Told of damage. Throws to make loading fail, or returns to let it pass. */
  readonly onDamage: (error: CorruptError) => void;
}

/** What one namespace has of the store. */
export class NamespaceStore implements BackingStore {
  readonly #init: NamespaceStoreInit;
  #bad = new Map<string, BadRecord>();

  constructor(init: NamespaceStoreInit) {
    this.#init = init;
  }

  get log(): EventLog {
    return this.#init.log;
  }

  /** The records that the last loading passed over. They are kept as they are: writes to their pointers are refused. */
  get badRecords(): readonly BadRecord[] {
    return [...this.#bad.values()];
  }

  async *load(): AsyncGenerator<readonly Resource[]> {
    const { marshaler, namespace, ledger, onDamage } = this.#init;
    const bad = new Map<string, BadRecord>();
    const reader = new RecordReader(marshaler, (record, key) => {
      onDamage(record.error);
      bad.set(record.pointer === undefined ? key : pointerKey(record.pointer), record);
    });
    let reading = this.#read(namespaceRange(namespace));
    for (let chunk = await reading; chunk !== undefined; chunk = await reading) {
      // The next records are read while these are decoded. That it failed is seen when it is their turn.
      reading = this.#read(chunk.rest);
      reading.catch(() => undefined);
      yield await reader.read(chunk.records);
    }
    this.#bad = bad;
    const fault = tallyFault(namespace, ledger.tally(namespace), reader, true);
    if (fault !== undefined) onDamage(fault);
  }

  write(change: StoreChange, commit: Commit): Promise<void> {
    const bad = this.#bad.size === 0 ? undefined : this.#bad.get(pointerKey(change.resource.metadata));
    return bad === undefined ? this.#init.commit.write(change, commit) : Promise.reject(refusal(change.resource, bad));
  }

  #read(range: KeyRange): Promise<RecordChunk | undefined> {
    return this.#init.connection.use((database) => readRecords(database, range));
  }
}

function refusal({ metadata }: Resource, { error }: BadRecord): CorruptError {
  const message = `resource ${pointerText(metadata)} has a damaged record, which is not written over`;
  return new CorruptError(message, { subject: metadata, cause: error });
}
