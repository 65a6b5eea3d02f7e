/** A run that is over and that nobody else began. */
export interface EndedRun {
  readonly id: string;
  readonly workflow: string;
  readonly endedMs: number;
}

export interface RetentionLimits {
  /** So many runs of each workflow are kept, those that ended last. */
  readonly count: number;
  /** And no run longer than that after its end. */
  readonly ageMs: number;
}

export interface Expired {
  readonly ids: readonly string[];
  /** When the next is too old; undefined: none gets older. */
  readonly nextMs: number | undefined;
}

/** Which runs are kept no longer, those that ended first at the beginning. */
export function expired(runs: Iterable<EndedRun>, { count, ageMs }: RetentionLimits, nowMs: number): Expired {
  const newestFirst = [...runs].sort((a, b) => b.endedMs - a.endedMs || (a.id < b.id ? 1 : -1));
  const kept = new Map<string, number>();
  const ids: string[] = [];
  let nextMs: number | undefined;
  for (const { id, workflow, endedMs } of newestFirst) {
    const before = kept.get(workflow) ?? 0;
    if (before >= count || endedMs + ageMs <= nowMs) ids.push(id);
    else {
      kept.set(workflow, before + 1);
      nextMs = endedMs + ageMs;
    }
  }
  return { ids: ids.reverse(), nextMs };
}
