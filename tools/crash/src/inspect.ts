import type { Kind } from '@cosi-ts/resource';
import type { EventLog, LoggedEvent } from '@cosi-ts/state-inmem';
import { type LevelDBStore, openLevelDBStore } from '@cosi-ts/store-leveldb';
import type { Found, FoundEvent, Known } from './model.js';
import { marshalerOf, type Stack, Thing, textOf } from './things.js';

/** What goes wrong on purpose is no news. */
const silent = Object.freeze({ info() {}, warn() {}, error() {} });

/** Opens a store as a checker does: its log keeps all that there is. */
export function openStore(folder: string, stack: Stack): Promise<LevelDBStore> {
  return openLevelDBStore(folder, {
    marshaler: marshalerOf(stack),
    log: { maxEvents: Number.MAX_SAFE_INTEGER },
    logger: silent,
  });
}

/** All that a store holds of some namespaces. */
export async function readStore(store: LevelDBStore, namespaces: readonly string[]): Promise<Found> {
  const resources = new Map<string, Known>();
  const events = new Map<string, FoundEvent[]>();
  let [position, floor] = [0, 0];
  for (const namespace of namespaces) {
    const mine = store.namespace(namespace);
    for await (const some of mine.load()) {
      for (const resource of some) {
        const { id, version } = resource.metadata;
        resources.set(`${namespace}/${id}`, { version: version as bigint, text: textOf(resource) });
      }
    }
    const log = mine.log as EventLog;
    ({ position, floor } = log);
    events.set(namespace, (await readLog(log, Thing.in(namespace))).map(found));
  }
  return { resources, events, position, floor };
}

async function readLog(log: EventLog, kind: Kind): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  const { position } = log;
  for (let after = log.floor; after < position; ) {
    const page = await log.read(kind, after, position);
    if (page === undefined) throw new Error(`the log does not keep the events after ${after}, as it said`);
    events.push(...page.events);
    after = page.through;
  }
  return events;
}

function found({ type, position, resource }: LoggedEvent): FoundEvent {
  const { id, version } = resource.metadata;
  return { position, type, id, version: version as bigint, text: textOf(resource) };
}
