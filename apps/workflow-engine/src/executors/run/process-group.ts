import { readdirSync, readFileSync } from 'node:fs';
import { type Clock, sleep } from '@cosi-ts/resource';
import { markPrefix } from './environment.js';
import { hasProc, readStat } from './process-identity.js';
import { shimName } from './shim.js';

/** Sends a signal to every process of the group. Gives false when there is none. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
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

/** Whether a process of the group began with a variable in its environment, given as `NAME=value`. */
export function isMarked(group: number, mark: string): boolean {
  return membersOf(group).some((pid) => environmentOf(pid).split('\0').includes(mark));
}

/** All groups with a process that an engine began, by the mark of the attempt. None where it cannot be seen. */
export function markedGroups(): ReadonlyMap<string, ReadonlySet<number>> {
  const groups = new Map<string, Set<number>>();
  if (!hasProc) return groups;
  for (const pid of allProcesses()) {
    const mark = environmentOf(pid)
      .split('\0')
      .find((variable) => variable.startsWith(markPrefix));
    const stat = mark === undefined ? undefined : readStat(pid);
    if (mark === undefined || stat === undefined || stat.isZombie) continue;
    const its = groups.get(mark) ?? new Set();
    groups.set(mark, its.add(stat.group));
  }
  return groups;
}

/** Whether the shim of the attempt with that folder is in the group. */
export function hasShimOf(group: number, folder: string): boolean {
  return membersOf(group).some((pid) => commandOf(pid).includes(`\0${shimName}\0${folder}\0`));
}

/**
 * Resolves when a command is executed in the group, when the group is empty, or after the limit. A signal that comes while
 * it is about to is lost: the shell takes it for its own in the moment between the new process and its program.
 */
export async function untilExecuting(group: number, limitMs: number, clock: Clock): Promise<void> {
  if (!hasProc) return;
  const startMs = clock.monotonicMs();
  while (signalGroup(group, 0) && clock.monotonicMs() - startMs < limitMs) {
    if (restOf(group) === 'command') return;
    await sleep(clock, 2);
  }
}

/** Whether something of a command is in the group, and not only the shim, which may be about to end. */
export function isExecuting(group: number): boolean {
  return restOf(group) === 'command';
}

/**
 * What is left of a group: something of the command, or only what is there for it: shells of the shim, and those that
 * copy its output. These are idle when there is nothing to copy, and only somebody outside of the group could write more.
 */
function restOf(group: number): 'command' | 'copying' | 'idle' | 'nothing' {
  if (!hasProc) return 'command';
  let rest: 'copying' | 'idle' | 'nothing' = 'nothing';
  for (const pid of membersOf(group)) {
    const stat = readStat(pid);
    if (stat === undefined || stat.isZombie) continue;
    const command = commandOf(pid);
    const isOfShim = command.includes(`\0${shimName}\0`) || command === '/bin/cat\0' || command === 'cat\0';
    // One without a command is about to end.
    if (!isOfShim && command !== '') return 'command';
    if (!stat.isWaiting) rest = 'copying';
    else if (rest === 'nothing') rest = 'idle';
  }
  return rest;
}

export interface EndOptions {
  readonly graceMs: number;
  readonly clock: Clock;
  /** How long after the signal that nothing can ignore it is waited for. */
  readonly forceMs: number;
  /** Whether the command has ended: what is left then is what it left behind. */
  readonly hasEnded: () => boolean;
  /** Told when the grace time is over and something of the group is left. */
  readonly onForce: () => void;
}

/** How long idle processes are left alone: others may just have ended, of which they do not know yet. */
const idleMs = 100;

/** How long the rest of the output may take to be copied when the command has ended. */
const copyMs = 10_000;

/** When it is first looked at what is left, rather than only whether something is; then more and more seldom. */
const firstLookMs = 20;

/**
 * Asks every process of the group to end, and ends by force after the grace time those that did not. Gives true when
 * the group is empty, at once when it is at the beginning; false when even force did not help.
 */
export async function endGroup(group: number, options: EndOptions): Promise<boolean> {
  const { graceMs, clock, forceMs, hasEnded, onForce } = options;
  if (!signalGroup(group, 'SIGTERM')) return true;
  // Those that are stopped take the signal when they go on.
  signalGroup(group, 'SIGCONT');
  const startMs = clock.monotonicMs();
  // Where it cannot be seen what is left, it may be what copies the output.
  const limitMs = !hasProc && hasEnded() ? Math.max(graceMs, 1000) : graceMs;
  let nextLookMs = firstLookMs;
  for (let pauseMs = 1; signalGroup(group, 0); pauseMs = Math.min(pauseMs * 2, 50)) {
    const passedMs = clock.monotonicMs() - startMs;
    if (passedMs >= Math.min(nextLookMs, limitMs)) {
      const rest = restOf(group);
      if (rest === 'nothing') return true;
      if (rest === 'idle' && passedMs >= idleMs && hasEnded()) break;
      const isCopying = hasEnded() && rest !== 'command' && passedMs < copyMs;
      if (passedMs >= limitMs && !isCopying) {
        onForce();
        break;
      }
      nextLookMs = passedMs * 2;
    }
    await sleep(clock, pauseMs);
  }
  return killGroup(group, forceMs, clock);
}

/** Again and again: a process may begin another at the moment of the signal. */
async function killGroup(group: number, limitMs: number, clock: Clock): Promise<boolean> {
  const startMs = clock.monotonicMs();
  for (let pauseMs = 1; signalGroup(group, 'SIGKILL'); pauseMs = Math.min(pauseMs * 2, 50)) {
    if (isGroupEmpty(group)) return true;
    if (clock.monotonicMs() - startMs >= limitMs) return false;
    await sleep(clock, pauseMs);
  }
  return true;
}

/** The processes of a group, by /proc. */
export function membersOf(group: number): number[] {
  return allProcesses().filter((pid) => readStat(pid)?.group === group);
}

function allProcesses(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
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
