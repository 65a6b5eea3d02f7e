import type { Effect, Line } from './effects.js';
import type { ExecutionView, ResultView } from './snapshot.js';

/** How an attempt ended that told nothing of its end, or whose end the engine may not have heard of. */
interface Attempt {
  readonly number: number;
  ended?: 'done' | 'failed' | 'stopped';
  /** Whether something was killed since it began that takes it along, or somebody asked for another one. */
  cut: boolean;
  /** Whether the engine has said that its execution is over. */
  over: boolean;
}

/**
 * Compares what attempts told of themselves with what the engine knows of them, and gives what is wrong.
 *
 * An attempt begins once. The next one begins only when the one before has failed, was asked to end, or was killed: a
 * function with the engine, a process with everything; or when its run is tried again. None begins when the engine has
 * said that the execution is over, nor while it has said that the run is paused, unless it was recorded before. Of an
 * execution that has succeeded the last attempt is the one that counts, and it was done once.
 *
 * @param timed steps whose attempts have a time limit: their processes end without a word
 */
export function checkEffects(
  effects: readonly Line[],
  executions: readonly ExecutionView[],
  results: readonly ResultView[],
  timed: ReadonlySet<string>,
): readonly string[] {
  const problems: string[] = [];
  const attempts = new Map<string, Attempt[]>();
  const known = new Map(executions.map((execution) => [execution.key, execution]));
  /** Runs that are paused, with the attempts that were recorded before. */
  const held = new Map<string, ReadonlyMap<string, number>>();
  if (known.size < executions.length) problems.push('two executions have the same idempotency key');

  for (const effect of effects) {
    if (effect.what === 'kill') {
      for (const [key, each] of attempts) {
        const last = each.at(-1) as Attempt;
        if (effect.of === 'all' || known.get(key)?.executor === 'function') last.cut = true;
      }
      continue;
    }
    if (effect.what === 'over') {
      const last = attempts.get(effect.key)?.at(-1);
      if (last !== undefined) last.over = true;
      continue;
    }
    if (effect.what === 'again') {
      for (const [key, each] of attempts) {
        if (`${known.get(key)?.run}.`.startsWith(`${effect.run}.`)) (each.at(-1) as Attempt).cut = true;
      }
      continue;
    }
    if (effect.what === 'held') {
      held.set(effect.run, effect.recorded);
      continue;
    }
    if (effect.what === 'released') {
      for (const run of [...held.keys()]) if (`${run}.`.startsWith(`${effect.run}.`)) held.delete(run);
      continue;
    }
    const execution = known.get(effect.key);
    const name = `${effect.run}.${effect.step}${effect.index < 0 ? '' : `.${effect.index}`}#${effect.attempt}`;
    if (execution === undefined) {
      problems.push(`${name} has effects, and no execution has its key ${effect.key}`);
      continue;
    }
    if (execution.run !== effect.run || execution.step !== effect.step || execution.index !== effect.index) {
      problems.push(`${name} has the key of ${execution.id}`);
    }
    if (effect.attempt > execution.attempt)
      problems.push(`${name} was not recorded: the newest is ${execution.attempt}`);
    const each = attempts.get(effect.key) ?? [];
    attempts.set(effect.key, each);
    problems.push(...take(effect, each, timed).map((what) => `${name} ${what}`));
    const recorded = held.get(effect.run);
    if (effect.what === 'begin' && recorded !== undefined && (recorded.get(effect.key) ?? 0) < effect.attempt) {
      problems.push(`${name} began while its run was paused`);
    }
  }

  const resultOf = new Map(results.map((result) => [result.id, result]));
  for (const { id, key, executor } of executions) {
    if (executor !== 'run' && executor !== 'function') continue;
    const last = attempts.get(key)?.at(-1);
    const result = resultOf.get(id);
    if (result?.state !== 'succeeded') continue;
    if (last === undefined) problems.push(`${id} has succeeded, and did nothing`);
    else if (last.number !== result.attempt || last.ended !== 'done') {
      const is = `#${last.number}, ${last.ended ?? 'not ended'}`;
      problems.push(`${id} has succeeded with #${result.attempt}, and the last that happened is ${is}`);
    }
  }
  return problems;
}

/** Adds an effect to those of its execution, and gives what is wrong with it. */
function take({ what, attempt, step }: Effect, attempts: Attempt[], timed: ReadonlySet<string>): string[] {
  const last = attempts.at(-1);
  if (what === 'overlap') return ['began while another one went on'];
  if (what !== 'begin') {
    if (last === undefined || last.number !== attempt) return [`was ${what}, and is not the newest that began`];
    if (last.ended !== undefined) return [`was ${what} after it was ${last.ended}`];
    last.ended = what;
    return [];
  }
  const problems: string[] = [];
  if (last !== undefined && last.number >= attempt) problems.push(`began after #${last.number}`);
  if (last?.ended === 'done' && !last.cut) problems.push(`began after #${last.number} was done`);
  if (last?.over === true) problems.push(`began after the engine had said that it was over with #${last.number}`);
  if (last !== undefined && last.ended === undefined && !last.cut && !timed.has(step)) {
    problems.push(`began before #${last.number} had ended`);
  }
  attempts.push({ number: attempt, cut: false, over: false });
  return problems;
}
