import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process for ever: numbers of processes are used again, and count anew after a boot, but no other process has this
 * number and began at this time.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Empty where the system has none: the start is a time of the wall clock then. */
  readonly boot: string;
  /** As the system gives it: for /proc in ticks since the boot. */
  readonly start: string;
}

const bootFile = '/proc/sys/kernel/random/boot_id';

/** Whether processes are looked up in /proc, or with `ps`. */
export const hasProc = readIfThere(bootFile) !== undefined;

/** Reads what the shim wrote. Gives undefined for what is not complete. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [pidText, boot, started, end] = text.split('\n');
  if (pidText === undefined || boot === undefined || started === undefined || end === undefined) return undefined;
  const pid = Number(pidText);
  const start = started.startsWith('lstart ') ? started.slice('lstart '.length).trim() : parseStat(started)?.start;
  if (!Number.isSafeInteger(pid) || pid <= 1 || start === undefined || start === '') return undefined;
  return { pid, boot, start };
}

/** Whether this very process is there. One that has ended, and that nobody has asked about yet, is not. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (!isOfThisBoot(identity)) return false;
  if (!hasProc) return startByPs(identity.pid) === identity.start;
  const stat = readStat(identity.pid);
  return stat !== undefined && stat.start === identity.start && !stat.isZombie;
}

/** Whether its number belongs to another process now. */
export function isReplaced(identity: ProcessIdentity): boolean {
  if (!isOfThisBoot(identity)) return true;
  const start = hasProc ? readStat(identity.pid)?.start : startByPs(identity.pid);
  return start !== undefined && start !== identity.start;
}

/** Who has this number now; of one that is not there, an identity that nobody has. */
export function currentIdentity(pid: number): ProcessIdentity {
  return { pid, boot: currentBoot(), start: (hasProc ? readStat(pid)?.start : startByPs(pid)) ?? '' };
}

function isOfThisBoot({ boot }: ProcessIdentity): boolean {
  return boot === currentBoot();
}

function currentBoot(): string {
  return readIfThere(bootFile)?.trim() ?? '';
}

export interface ProcessStat {
  readonly group: number;
  readonly start: string;
  /** It has ended, and nobody has asked about it yet. */
  readonly isZombie: boolean;
  /** It waits for something that may never come: not for its turn, and not for a disk. */
  readonly isWaiting: boolean;
}

export function readStat(pid: number): ProcessStat | undefined {
  return parseStat(readIfThere(`/proc/${pid}/stat`) ?? '');
}

/**
 * A line of /proc/<pid>/stat, see proc(5). The second field is the name of the program in parentheses, and may hold
 * anything, parentheses too: the fields are counted from its end.
 */
export function parseStat(line: string): ProcessStat | undefined {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const start = fields[19];
  if (state === undefined || group === undefined || start === undefined) return undefined;
  return { group: Number(group), start, isZombie: state === 'Z' || state === 'X', isWaiting: state === 'S' };
}

/** Where there is no /proc. The same text that the shim writes. */
export function startByPs(pid: number): string | undefined {
  try {
    const env = { LC_ALL: 'C', TZ: 'UTC' };
    const text = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' }).trim();
    return text === '' ? undefined : text;
  } catch {
    // ps fails when there is no such process.
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // A process that ends while it is read gives ESRCH, one that has ended ENOENT; either way there is none.
    return undefined;
  }
}
