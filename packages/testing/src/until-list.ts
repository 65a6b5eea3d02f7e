import {
  compareUtf8,
  type Kind,
  pointerText,
  type Resource,
  type TypedKind,
  type TypedResource,
} from '@cosi-ts/resource';
import type { QueryOptions, State } from '@cosi-ts/state';
import { type Check, until } from './expectation.js';
import { shownList } from './shown.js';
import type { UntilOptions } from './until-options.js';

/** How long to wait, and of which resources of the kind: all, or those that match the queries. */
export interface UntilListOptions extends UntilOptions, QueryOptions {}

/**
 * Waits until the check holds for the list of a kind, sorted by id: until it neither throws nor returns false. Gives the
 * list.
 *
 * @throws `testing/expectation` when that is not in time, with the last mismatch and the list as it is
 */
export function untilList<S>(
  state: State,
  kind: TypedKind<S>,
  check: Check<readonly TypedResource<S>[]>,
  options?: UntilListOptions,
): Promise<readonly TypedResource<S>[]>;
export function untilList(
  state: State,
  kind: Kind,
  check: Check<readonly Resource[]>,
  options?: UntilListOptions,
): Promise<readonly Resource[]>;
export function untilList(
  state: State,
  kind: Kind,
  check: Check<never>,
  options: UntilListOptions = {},
): Promise<readonly Resource[]> {
  return list(
    state,
    kind,
    `the list of ${pointerText(kind)} to be as it should`,
    check as Check<readonly Resource[]>,
    options,
  );
}

/**
 * Waits until there are so many resources of a kind. Gives them.
 *
 * @throws `testing/expectation` when there are not in time, with those that there are
 */
export function untilLength<S>(
  state: State,
  kind: TypedKind<S>,
  length: number,
  options?: UntilListOptions,
): Promise<readonly TypedResource<S>[]>;
export function untilLength(
  state: State,
  kind: Kind,
  length: number,
  options?: UntilListOptions,
): Promise<readonly Resource[]>;
export function untilLength(
  state: State,
  kind: Kind,
  length: number,
  options: UntilListOptions = {},
): Promise<readonly Resource[]> {
  const check = (resources: readonly Resource[]) => {
    if (resources.length !== length) throw new Error(`there are ${resources.length} instead of ${length}`);
  };
  return list(state, kind, `${length} resources of ${pointerText(kind)}`, check, options);
}

function list(
  state: State,
  kind: Kind,
  what: string,
  check: Check<readonly Resource[]>,
  { labels, id, ...options }: UntilListOptions,
): Promise<readonly Resource[]> {
  return until(
    {
      subject: kind,
      what,
      check,
      show: shownList,
      async *observe(signal) {
        const watch = await state.watchKindAggregated(kind, { labels, id, bootstrapContents: true, signal });
        const present = new Map<string, Resource>();
        let complete = false;
        for await (const events of watch) {
          for (const event of events) {
            if (event.type === 'errored') throw event.error;
            if (event.type === 'destroyed') present.delete(event.resource.metadata.id);
            else if (event.type === 'created' || event.type === 'updated') {
              present.set(event.resource.metadata.id, event.resource);
            } else if (event.type === 'bootstrapped') complete = true;
          }
          if (!complete) continue;
          yield [...present.values()].sort((a, b) => compareUtf8(a.metadata.id, b.metadata.id));
        }
      },
    },
    options,
  );
}
