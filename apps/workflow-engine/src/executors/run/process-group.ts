import { readdirSync, readFileSync } from 'node:fs';
import { type Clock, sleep } from '@cosi-ts/resource';
import { hasProc, isReplaced, type ProcessIdentity, readStat } from './process-identity.js';

/** Sends a signal to every process of the group. Gives false when there is none. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // There are some, but they belong to somebody else by now.
    if (code === 'EPERM') return true;
    if (code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * Whether nothing of the group executes any more. What has ended counts for the system until its parent has asked for
 * it, which some parents never do: an engine that is the first process of a container is the parent of all orphans.
 * Slow when something is left: it looks at every process of the system.
 */
export function isGroupEmpty(group: number): boolean {
  if (!signalGroup(group, 0)) return true;
  return hasProc && membersOf(group).every((pid) => readStat(pid)?.isZombie !== false);
}

/**
 * Whether the group of a process that is no more is still its own. While it has members, no other process gets its
 * number; but when it was empty for a while, it may be another group by now.
 * @param mark a variable of the environment that all processes of the attempt began with
 */
export function isGroupOf(leader: ProcessIdentity, mark: string): boolean {
  if (isReplaced(leader) || isGroupEmpty(leader.pid)) return false;
  if (!hasProc) return true;
  return membersOf(leader.pid).some((pid) => environmentOf(pid).split('\0').includes(mark));
}

/**
 * Resolves when the leader of the group executes something, has ended, or after the limit. A signal that comes while it
 * is about to is lost: the shell takes it for its own in the moment between the new process and its program.
 */
export async function untilExecuting(leader: number, limitMs: number, clock: Clock): Promise<void> {
  if (!hasProc) return;
  const startMs = clock.monotonicMs();
  const own = commandOf(leader);
  while (own !== '' && commandOf(leader) === own && clock.monotonicMs() - startMs < limitMs) {
    if (membersOf(leader).some((pid) => ![own, ''].includes(commandOf(pid)))) return;
    await sleep(clock, 2);
  }
}

export interface EndOptions {
  readonly graceMs: number;
  readonly clock: Clock;
  /** How long after the signal that nothing can ignore it is waited for. */
  readonly forceMs: number;
  /** Told when the grace time is over and something of the group is left. */
  readonly onForce: () => void;
}

/**
 * Asks every process of the group to end, and ends by force after the grace time those that did not. Gives true when
 * the group is empty, at once when it is at the beginning; false when even force did not help.
 */
export async function endGroup(group: number, options: EndOptions): Promise<boolean> {
  const { graceMs, clock, forceMs, onForce } = options;
  if (!signalGroup(group, 'SIGTERM')) return true;
  // Those that are stopped take the signal when they go on.
  signalGroup(group, 'SIGCONT');
  if (await emptyWithin(group, graceMs, clock, () => undefined)) return true;
  onForce();
  // Again and again: a process may begin another at the moment of the signal.
  return emptyWithin(group, forceMs, clock, () => signalGroup(group, 'SIGKILL'));
}

/** When it is first looked at what is left, rather than only whether something is; then more and more seldom. */
const firstLookMs = 20;

async function emptyWithin(group: number, limitMs: number, clock: Clock, ask: () => void): Promise<boolean> {
  const startMs = clock.monotonicMs();
  let nextLookMs = firstLookMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    ask();
    if (!signalGroup(group, 0)) return true;
    const passedMs = clock.monotonicMs() - startMs;
    if (passedMs >= nextLookMs || passedMs >= limitMs) {
      if (isGroupEmpty(group)) return true;
      nextLookMs = passedMs * 2;
    }
    if (passedMs >= limitMs) return false;
    await sleep(clock, Math.min(pauseMs, limitMs - passedMs));
  }
}

function membersOf(group: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readStat(pid)?.group === group);
}

function environmentOf(pid: number): string {
  return readOf(pid, 'environ');
}

function commandOf(pid: number): string {
  return readOf(pid, 'cmdline');
}

function readOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // It has ended, or belongs to somebody else.
    return '';
  }
}
