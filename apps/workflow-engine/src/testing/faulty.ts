import { UnavailableError } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';

const writes: ReadonlySet<string | symbol> = new Set([
  ...['create', 'update', 'destroy', 'modify', 'updateWithConflicts', 'teardown', 'addFinalizer', 'removeFinalizer'],
]);

/** What becomes of a write: it is refused, it is done and nobody is told, or all is well. */
export type Fault = 'refused' | 'unanswered' | undefined;

/** The state, of which writes fail now and then, some of them after they were done. */
export function faulty(state: State, next: () => Fault): State {
  return new Proxy(state, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (name === 'core') return faulty(value as State, next);
      if (typeof value !== 'function') return value;
      const call = (...given: unknown[]) => (value as (...given: unknown[]) => unknown).apply(target, given);
      if (!writes.has(name)) return call;
      return async (...given: unknown[]) => {
        const fault = next();
        if (fault === 'refused') throw new UnavailableError('refused by the test');
        const result = await call(...given);
        if (fault === 'unanswered') throw new UnavailableError('done, and not answered by the test');
        return result;
      };
    },
  });
}
