import { pointerText } from '@cosi-ts/resource';
import type { Logger } from '@cosi-ts/runtime';
import { type Damage, openLevelDBStore, repairLevelDBStore, verifyLevelDBStore } from '@cosi-ts/store-leveldb';
import { StartError } from '../start-error.js';
import { backUp, copyOthers, makeDataFolder } from '../storage/back-up.js';
import { dataError } from '../storage/data-error.js';
import type { DataFolder } from '../storage/data-folder.js';
import type { KeyOptions } from '../storage/data-options.js';
import { openMasterKey } from '../storage/master-key.js';
import { recordMarshaler } from '../storage/record-marshaler.js';
import type { Outcome } from './run-command.js';

/** Copies the data to a new folder. No key is needed for it: records are copied as they are. */
export async function backUpStore(folder: DataFolder, into: string, logger: Logger): Promise<Outcome> {
  return withStoppedStore(folder, async () => {
    const store = await openLevelDBStore(folder.store, { marshaler: recordMarshaler(undefined, folder), logger });
    try {
      const { position, damaged } = await backUp(folder, store, into);
      const lines = [`backed up to ${into}, up to position ${position}`, ...keysToKeep(await folder.contents())];
      if (damaged > 0) lines.push(`${damaged} records are damaged, and are so in the backup: "verify" names them`);
      return { lines, ok: damaged === 0 };
    } finally {
      await store.close();
    }
  });
}

/** Checks the data. */
export async function verifyStore(folder: DataFolder, key: KeyOptions | undefined, logger: Logger): Promise<Outcome> {
  return withStoppedStore(folder, async ({ keys }) => {
    const decoded = !keys || key !== undefined;
    const marshaler = decoded ? recordMarshaler(await openMasterKey(folder, key, logger), folder) : undefined;
    const { ok, damage, closed, unfinishedBytes, contents } = await verifyLevelDBStore(folder.store, { marshaler });
    const lines = [folder.path];
    if (contents !== undefined) {
      const { resources, namespaces, events, position } = contents;
      const each = Object.entries(namespaces).map(([name, count]) => `${name} ${count}`);
      lines.push(`  ${resources} resources: ${each.join(', ')}`);
      lines.push(`  ${events} events kept, up to position ${position ?? 'unknown'}`);
    }
    lines.push(
      decoded ? '  every record was decoded' : '  records were not decrypted: --encrypt names the key for that',
    );
    if (!closed) lines.push('  it was not closed, as after a crash: writes cut off at the very end cannot be seen');
    if (unfinishedBytes > 0) lines.push(`  ${unfinishedBytes} bytes of a write that was never acknowledged`);
    lines.push(...damage.map(damageText), ok ? 'no damage' : `${damage.length} damages`);
    return { lines, ok };
  });
}

/** Makes new data of what can be read. */
export async function repairStore(
  folder: DataFolder,
  into: string,
  key: KeyOptions | undefined,
  logger: Logger,
): Promise<Outcome> {
  return withStoppedStore(folder, async () => {
    const marshaler = recordMarshaler(await openMasterKey(folder, key, logger), folder);
    const { resources, damage } = await makeDataFolder(folder.profile, into, async (copy) => {
      const report = await repairLevelDBStore(folder.store, copy.store, { marshaler });
      await copyOthers(folder, copy);
      return report;
    });
    const lines = [
      ...damage.map(damageText),
      damage.length === 0
        ? 'nothing was damaged'
        : `${damage.length} damages: what they name is not in it, or not vouched for`,
      `${resources} resources are in ${into} now: start with --data ${into}, or move it to where the damaged data is`,
      'who watched before begins anew: the events of the past are not in it',
    ];
    return { lines, ok: damage.length === 0 };
  });
}

async function withStoppedStore(
  folder: DataFolder,
  work: (contents: { readonly keys: boolean }) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const contents = await folder.contents();
    if (!contents.store) throw new StartError(`there is no data in ${folder.path}`);
    return await work(contents);
  } catch (error) {
    throw dataError(error, folder);
  }
}

function keysToKeep({ keys }: { readonly keys: boolean }): readonly string[] {
  return keys ? ['the private keys that open it are not in it: keep them elsewhere'] : [];
}

function damageText({ what, file, pointer, position }: Damage): string {
  const where = [
    file,
    pointer === undefined || what.includes(pointerText(pointer)) ? undefined : pointerText(pointer),
    position === undefined || what.includes(String(position)) ? undefined : `event ${position}`,
  ].filter((part) => part !== undefined);
  return `damage: ${[...where, what].join(': ')}`;
}
