import type { AttemptFolder, KnownLeader } from './attempt-folder.js';
import { DamagedFolderError } from './damaged-folder.js';
import { hasShimOf, isGroupEmpty, isMarked, markedGroups } from './process-group.js';
import { currentIdentity, hasProc, isAlive, isReplaced, type ProcessIdentity } from './process-identity.js';

export type BegunGroup =
  | { readonly is: 'gone' }
  | { readonly is: 'there'; readonly leader: ProcessIdentity }
  /** There is a group of the number that its leader had, and nothing tells whether it is that of the attempt. */
  | { readonly is: 'doubtful'; readonly group: number };

/**
 * Whether something of an attempt goes on that has begun. What its shim wrote may be damaged or gone: then it is looked
 * for by the number of the group, by the environment of processes, and by the command of the shim.
 * @param mark a variable of the environment that all processes of the attempt began with
 */
export function findGroup(folder: AttemptFolder, mark: string): BegunGroup {
  const leaders = folder.leaders();
  for (const leader of leaders) {
    const { pid, identity } = leader;
    if (identity !== undefined && isAlive(identity)) return { is: 'there', leader: identity };
    if (isGroupEmpty(pid)) continue;
    const isIts = hasProc ? isMarked(pid, mark) : isKept(leader);
    if (isIts) return { is: 'there', leader: identity ?? currentIdentity(pid) };
    if (!hasProc && identity === undefined) return { is: 'doubtful', group: pid };
  }
  if (leaders.some(({ identity }) => identity !== undefined)) return { is: 'gone' };
  const [group] = groupsOf(folder, mark);
  return group === undefined ? { is: 'gone' } : { is: 'there', leader: currentIdentity(group) };
}

/**
 * The groups that an attempt may have, of which not everything can be read: those of its shim and those that it named,
 * or else all whose processes are marked. What began a session of its own is not meant, as far as that can be told.
 */
export function groupsOf(folder: AttemptFolder, mark: string): readonly number[] {
  const all = [...(markedGroups().get(mark) ?? [])];
  const named = new Set(readable(() => folder.leaders(), []).map(({ pid }) => pid));
  const own = all.filter((group) => named.has(group) || hasShimOf(group, folder.path));
  if (own.length > 0) return own;
  return readable(() => folder.exitCode(), undefined) === undefined ? all : [];
}

/** While a group has members, no other process gets its number; but it may have been empty, and be another one now. */
function isKept({ identity }: KnownLeader): boolean {
  return identity !== undefined && !isReplaced(identity);
}

function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedFolderError) return otherwise;
    throw error;
  }
}
