import { spawnSync } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCosiError, isResourceExhausted, isUnavailable } from '@cosi-ts/resource';
import { nextTurn, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import type { RoundProblem } from './campaign.js';
import { openStore } from './inspect.js';
import { Thing } from './things.js';

export interface CheckResult {
  readonly name: string;
  readonly problems: readonly RoundProblem[];
  /** Why it could not be done. */
  readonly skipped?: string;
}

const namespace = 'faults';

/** Works with a small file system of its own; undefined when this machine does not let one be made. */
async function withSmallDisk<T>(
  folder: string,
  size: string,
  work: (disk: string) => Promise<T>,
): Promise<T | undefined> {
  const disk = join(folder, 'disk');
  await mkdir(disk, { recursive: true });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]).status !== 0) return undefined;
  try {
    return await work(disk);
  } finally {
    spawnSync('umount', [disk]);
  }
}

const noMount = 'skipped, this user may not mount a small file system';

/**
 * A disk that gets full, over and over: the caller of a write gets the error, memory and disk and watchers agree, and
 * when there is room again writes work, and none of those acknowledged is lost.
 */
export async function checkDiskFull(folder: string): Promise<CheckResult> {
  const name = 'disk full';
  const problems = await withSmallDisk(folder, '40m', fillDisk);
  return problems === undefined ? { name, problems: [], skipped: noMount } : { name, problems };
}

async function fillDisk(disk: string): Promise<RoundProblem[]> {
  const problems: RoundProblem[] = [];
  const failure = (what: string) => problems.push({ is: 'failure', what });
  const [folder, ballast] = [join(disk, 'store'), join(disk, 'ballast')];
  const expected = new Map<string, bigint>();
  for (let round = 0; round < 6; round++) {
    const store = await openStore(folder, 'plain');
    const state = wrapState(new InMemoryState(namespace, { store: store.namespace(namespace) }));
    const seen: string[] = [];
    const events = await state.watchKind(Thing.in(namespace));
    const watching = (async () => {
      for await (const event of events) if ('resource' in event) seen.push(event.resource.metadata.toString());
    })();
    const written: string[] = [];
    let attempts = 0;
    const write = async (id: string) => {
      const text = `${'x'.repeat(3000)} ${round} ${attempts++}`;
      const stored = await state.modify(Thing.at(id, namespace), (draft) => {
        draft.spec.text = text;
      });
      expected.set(id, stored.metadata.version as bigint);
      written.push(stored.metadata.toString());
    };
    // Room for some more writes, and then for none.
    const { bavail, bsize } = await statfs(disk);
    await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 600_000 - 150_000 * round)));
    let refused: unknown;
    for (let i = 0; i < 1000 && refused === undefined; i++) {
      const results = await Promise.allSettled([0, 1, 2, 3].map((k) => write(`thing-${(i * 4 + k) % 60}`)));
      refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))[0];
    }
    if (!isResourceExhausted(refused)) failure(`a full disk gave ${isCosiError(refused) ? refused.code : refused}`);
    await rm(ballast);
    for (let i = 0; i < 50; i++) {
      await write(`after-${i}`).catch((error: unknown) => failure(`with room again, a write gave ${error}`));
    }
    for (let turns = 0; seen.length < written.length && turns < 10_000; turns++) await nextTurn();
    await state.close();
    await watching;
    if (seen.sort().join() !== written.sort().join())
      failure(`a watcher saw ${seen.length} events of ${written.length} writes`);
    await store.close();
    await using again = await openStore(folder, 'plain');
    const found = new Map<string, bigint>();
    for await (const some of again.namespace(namespace).load()) {
      for (const { metadata } of some) found.set(metadata.id, metadata.version as bigint);
    }
    for (const id of new Set([...expected.keys(), ...found.keys()])) {
      if (expected.get(id) === found.get(id)) continue;
      problems.push({
        is: 'lost',
        what: `${id} has version ${found.get(id)} instead of ${expected.get(id)} after a full disk`,
      });
    }
  }
  return problems;
}

/** A store on a disk that can only be read is refused with an error, and is fine when the disk can be written again. */
export async function checkReadOnly(folder: string): Promise<CheckResult> {
  const name = 'read-only disk';
  const problems = await withSmallDisk(folder, '10m', async (disk): Promise<RoundProblem[]> => {
    const store = join(disk, 'store');
    await (await openStore(store, 'plain')).close();
    spawnSync('mount', ['-o', 'remount,ro', disk]);
    const outcome = await openStore(store, 'plain').then(
      () => 'opened',
      (error: unknown) => (isUnavailable(error) ? 'unavailable' : String(error)),
    );
    spawnSync('mount', ['-o', 'remount,rw', disk]);
    await (await openStore(store, 'plain')).close();
    return outcome === 'unavailable'
      ? []
      : [{ is: 'failure', what: `opening a store that can only be read: ${outcome}` }];
  });
  return problems === undefined ? { name, problems: [], skipped: noMount } : { name, problems };
}
