import { CorruptError, pointerKey, pointerText, type Resource } from '@cosi-ts/resource';
import type { BackingStore, Commit, EventLog, Marshaler, StoreChange, StoredPage } from '@cosi-ts/state-inmem';
import type { Connection } from './connection.js';
import type { GroupCommit } from './group-commit.js';
import { namespaceRange } from './keys.js';
import type { Ledger } from './ledger.js';
import type { Logger } from './logger.js';
import { type BadRecord, RecordReader } from './record-reader.js';
import { readStored } from './stored-records.js';
import { tallyFault } from './tally.js';

export interface NamespaceStoreInit {
  readonly namespace: string;
  readonly connection: Connection;
  readonly marshaler: Marshaler;
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly commit: GroupCommit;
  readonly logger: Logger;
  /** Whether records may have been written by others than the stores of their namespaces since the database was opened. */
  readonly rewritten: () => boolean;
  /** Told of damage. Throws to make loading fail, or returns to let it pass. */
  readonly onDamage: (error: CorruptError) => void;
}

/** What one namespace has of the store. */
export class NamespaceStore implements BackingStore {
  readonly #init: NamespaceStoreInit;
  #bad = new Map<string, BadRecord>();
  /** Whether a record may have been written since the database was opened. */
  #written = false;

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

  async *load(): AsyncGenerator<readonly Resource[] | StoredPage> {
    const { marshaler, namespace, connection, ledger, logger, rewritten, onDamage } = this.#init;
    const bad = new Map<string, BadRecord>();
    const onBad = (record: BadRecord, key: string) => {
      onDamage(record.error);
      bad.set(record.pointer === undefined ? key : pointerKey(record.pointer), record);
    };
    const reader = new RecordReader(marshaler, onBad, true);
    const inTables = !this.#written && !rewritten();
    for await (const _ of readStored(connection, namespaceRange(namespace), reader, inTables, logger)) {
      const { resources, pages } = await reader.take();
      yield* pages;
      if (resources.length > 0) yield resources;
    }
    this.#bad = bad;
    const fault = tallyFault(namespace, ledger.tally(namespace), reader, true);
    if (fault !== undefined) onDamage(fault);
  }

  write(change: StoreChange, commit: Commit): Promise<void> {
    this.#written = true;
    const bad = this.#bad.size === 0 ? undefined : this.#bad.get(pointerKey(change.resource.metadata));
    return bad === undefined ? this.#init.commit.write(change, commit) : Promise.reject(refusal(change.resource, bad));
  }
}

function refusal({ metadata }: Resource, { error }: BadRecord): CorruptError {
  const message = `resource ${pointerText(metadata)} has a damaged record, which is not written over`;
  return new CorruptError(message, { subject: metadata, cause: error });
}
