/** What the engine holds, as JSON: the answers of the engine that is killed. */
export interface StatusView {
  readonly run: string;
  /** Whether somebody asked for another try, which the engine has not taken up. */
  readonly isTriedAgain: boolean;
  readonly state: string;
  readonly message: string;
  readonly hasEnd: boolean;
  readonly outputs: string;
  readonly steps: readonly { readonly step: string; readonly state: string; readonly total: number }[];
}

export interface ExecutionView {
  readonly id: string;
  readonly run: string;
  readonly step: string;
  readonly index: number;
  readonly attempt: number;
  readonly key: string;
  readonly executor: string;
}

export interface ResultView {
  readonly id: string;
  readonly run: string;
  readonly step: string;
  readonly index: number;
  readonly attempt: number;
  readonly state: string;
  readonly outputs: string;
  readonly reason: string;
  readonly hasEnd: boolean;
  /** Whether another attempt is due. */
  readonly isDue: boolean;
}

export interface Snapshot {
  readonly runs: readonly string[];
  readonly statuses: readonly StatusView[];
  readonly executions: readonly ExecutionView[];
  readonly results: readonly ResultView[];
}

const final: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);

export function isFinal(state: string): boolean {
  return final.has(state);
}

export function isRunOver({ state, isTriedAgain }: StatusView): boolean {
  return isFinal(state) && !isTriedAgain;
}
