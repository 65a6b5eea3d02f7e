import { readdirSync, readFileSync } from 'node:fs';
import { ownSession } from './step-script.js';

/** The processes of steps, known by the folder in their environment. */
export interface StepProcess {
  readonly pid: number;
  readonly group: number;
  readonly command: string;
  readonly isOwnSession: boolean;
}

/** Those that run now and have the folder in their environment; those that have ended and nobody waits for are none. */
export function stepProcesses(folder: string): readonly StepProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
        if (!environment.includes(`${folder}/`)) return [];
        // After the name, which may have anything in it: the state, the parent, the group.
        const [state, , group] = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
        if (state === 'Z' || state === 'X') return [];
        return [
          {
            pid: Number(name),
            group: Number(group),
            command: readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' '),
            isOwnSession: environment.split('\0').includes(ownSession),
          },
        ];
      } catch (error) {
        // It has ended meanwhile, or is another user's.
        if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
        throw error;
      }
    });
}

/** Ends the groups of processes at once. */
export function killGroups(processes: readonly StepProcess[]): void {
  for (const group of new Set(processes.map((each) => each.group))) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
