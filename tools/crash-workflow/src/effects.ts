/** What an attempt tells of itself: `stopped` of a function that heeded its signal, `overlap` where another one goes on. */
export type Told = 'begin' | 'done' | 'failed' | 'stopped' | 'overlap';

export interface Effect {
  readonly what: Told;
  readonly executor: 'run' | 'function';
  readonly key: string;
  readonly attempt: number;
  readonly run: string;
  readonly step: string;
  readonly index: number;
}

/** The engine was killed; with `all` every process of its steps as well. */
export interface Kill {
  readonly what: 'kill';
  readonly of: 'engine' | 'all';
}

/** The engine has said that an execution is over for good. */
export interface Over {
  readonly what: 'over';
  readonly key: string;
}

/** Somebody is about to ask for what failed or was cancelled in a run to be executed again. */
export interface Again {
  readonly what: 'again';
  readonly run: string;
}

/** The engine has said that a run is paused. What it had recorded by then may begin: attempts, by their keys. */
export interface Held {
  readonly what: 'held';
  readonly run: string;
  readonly recorded: ReadonlyMap<string, number>;
}

/** Somebody is about to ask for a run to go on, with those that it began. */
export interface Released {
  readonly what: 'released';
  readonly run: string;
}

/** A line of the file for effects. */
export type Line = Effect | Kill | Over | Again | Held | Released;

const told: ReadonlySet<string> = new Set<Told>(['begin', 'done', 'failed', 'stopped', 'overlap']);

/** The lines of the file for effects, in their order. Throws for a line that is none: each is written at once. */
export function readEffects(text: string): readonly Line[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the last effect is cut off');
  return lines.map((line) => {
    const [what = '', second, key = '', attempt, run = '', step = '', index] = line.split('\t');
    if (what === 'kill' && (second === 'engine' || second === 'all')) return { what, of: second };
    if (what === 'over' && second !== undefined) return { what, key: second };
    if (what === 'again' && second !== undefined) return { what, run: second };
    if (what === 'held' && second !== undefined) {
      return { what, run: second, recorded: new Map(JSON.parse(key) as [string, number][]) };
    }
    if (what === 'released' && second !== undefined) return { what, run: second };
    if (!told.has(what) || (second !== 'run' && second !== 'function') || key === '') {
      throw new Error(`no effect: ${JSON.stringify(line)}`);
    }
    return { what: what as Told, executor: second, key, attempt: Number(attempt), run, step, index: Number(index) };
  });
}

/** The line that is appended when everything of it has ended. */
export function killLine(of: Kill['of']): string {
  return `kill\t${of}\n`;
}

export function overLine(key: string): string {
  return `over\t${key}\n`;
}

export function againLine(run: string): string {
  return `again\t${run}\n`;
}

export function heldLine(run: string, recorded: ReadonlyMap<string, number>): string {
  return `held\t${run}\t${JSON.stringify([...recorded])}\n`;
}

export function releasedLine(run: string): string {
  return `released\t${run}\n`;
}
