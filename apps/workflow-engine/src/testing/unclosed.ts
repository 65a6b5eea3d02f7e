import type { State } from '@cosi-ts/state';

/** The state, which stays open when its user closes it. @param before called before each call, which it can refuse */
export function unclosed(state: State, before: () => void = () => undefined): State {
  return new Proxy(state, {
    get(target, name) {
      if (name === 'close') return async () => undefined;
      const value = Reflect.get(target, name, target) as unknown;
      if (name === 'core') return unclosed(value as State, before);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        try {
          before();
        } catch (error) {
          return Promise.reject(error);
        }
        return (value as (...given: unknown[]) => unknown).apply(target, given);
      };
    },
  });
}
