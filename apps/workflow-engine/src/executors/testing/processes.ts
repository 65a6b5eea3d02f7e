import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { vi } from 'vitest';
import { readStat } from '../run/process-identity.js';

/** Shells that run the script between the engine and its commands, as far as they are on this machine. */
export const shells: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['sh', ['/bin/sh']] as const,
  ['dash', ['/usr/bin/dash']] as const,
  ['bash', ['/usr/bin/bash', '--posix']] as const,
  ['busybox', ['/usr/bin/busybox', 'sh']] as const,
].filter(([, [program]]) => existsSync(program));

/** Whether the process executes; those that have ended, and that nobody has asked about yet, do not. */
export function isThere(pid: number): boolean {
  return readStat(pid)?.isZombie === false;
}

export function processes(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** The program and its arguments; empty when there is no such process. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Resolves when the condition holds, which the system is asked again and again. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(condition, { timeout: 20_000, interval: 5 });
}
