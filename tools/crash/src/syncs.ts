import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckResult } from './faults.js';
import { readJournal } from './journal.js';
import { startWriter } from './processes.js';

/** How many groups of writes are made, each of so many writes at once. */
const groups = 100;
const writesOfGroup = 8;

/**
 * A kill cannot tell a write that is on the disk from one that the kernel still holds. So the calls are counted with
 * which the kernel was asked to wait for the disk: at least one for each group of writes that was acknowledged.
 */
export async function checkSyncs(folder: string): Promise<CheckResult> {
  const name = 'syncs';
  if (spawnSync('strace', ['-V']).status !== 0) return { name, problems: [], skipped: 'skipped, there is no strace' };
  const [journal, trace] = [join(folder, 'syncs-journal'), join(folder, 'syncs-trace')];
  const writer = startWriter(
    {
      folder: join(folder, 'syncs'),
      stack: 'plain',
      seed: 1,
      namespaces: ['a', 'b'],
      workers: writesOfGroup,
      bookmarks: {},
      maxEvents: 1_000_000,
      writes: groups,
      inStep: true,
    },
    journal,
    ['strace', '-f', '-e', 'trace=fsync,fdatasync', '-o', trace],
  );
  const { code, errors } = await writer.ended;
  if (code !== 0 && /ptrace|not permitted/i.test(errors)) {
    return { name, problems: [], skipped: 'skipped, strace is not allowed to look' };
  }
  if (code !== 0) return { name, problems: [{ is: 'failure', what: `the writer ended with ${code}: ${errors}` }] };
  const acknowledged = readJournal(journal).filter(({ is }) => is === 'acknowledged').length;
  const syncs =
    (await readFile(trace, 'utf8')).match(/f(?:data)?sync\(\d+[^)]*\)?\s*=\s*0|f(?:data)?sync resumed>.*=\s*0/g)
      ?.length ?? 0;
  if (acknowledged !== groups * writesOfGroup || syncs < groups) {
    const what = `${syncs} syncs for ${groups} groups, ${acknowledged} of ${groups * writesOfGroup} writes acknowledged`;
    return { name: `${name} (${what})`, problems: [{ is: 'lost', what }] };
  }
  return { name: `${name} (${syncs} for ${groups} groups of ${writesOfGroup} writes)`, problems: [] };
}
