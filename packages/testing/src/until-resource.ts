import { type Pointer, pointerText, type Resource, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import { type Check, type Expectation, until } from './expectation.js';
import { ExpectationError } from './expectation-error.js';
import { messageOf, shownResource } from './shown.js';
import type { UntilOptions } from './until-options.js';

/**
 * Waits until the resource is there and the check holds for it: until that neither throws nor returns false. Gives the
 * resource.
 *
 * @throws `testing/expectation` when that is not in time, with the last mismatch and the resource as it is
 *
 * @example
 * await untilResource(state, LampStatus.at('desk'), ({ spec }) => expect(spec.brightness).toBe(3));
 */
export function untilResource<S>(
  state: State,
  pointer: TypedPointer<S>,
  check?: Check<TypedResource<S>>,
  options?: UntilOptions,
): Promise<TypedResource<S>>;
export function untilResource(
  state: State,
  pointer: Pointer,
  check?: Check<Resource>,
  options?: UntilOptions,
): Promise<Resource>;
export async function untilResource(
  state: State,
  pointer: Pointer,
  check: Check<never> = () => true,
  options: UntilOptions = {},
): Promise<Resource> {
  const resource = await until(
    observed(state, pointer, `${pointerText(pointer)} to be as it should`, (present) => {
      if (present === undefined) throw new Error('it does not exist');
      return check(present as never);
    }),
    options,
  );
  return resource as Resource;
}

/**
 * Waits until each of the resources is there and the check holds for it. Gives the resources, in the order of the pointers.
 *
 * @throws `testing/expectation` that names each of which that is not so in time
 */
export function untilResources<S>(
  state: State,
  pointers: readonly TypedPointer<S>[],
  check?: Check<TypedResource<S>>,
  options?: UntilOptions,
): Promise<readonly TypedResource<S>[]>;
export function untilResources(
  state: State,
  pointers: readonly Pointer[],
  check?: Check<Resource>,
  options?: UntilOptions,
): Promise<readonly Resource[]>;
export async function untilResources(
  state: State,
  pointers: readonly Pointer[],
  check: Check<never> = () => true,
  options: UntilOptions = {},
): Promise<readonly Resource[]> {
  const each = (pointer: Pointer) => untilResource(state, pointer, check as Check<Resource>, options);
  const outcomes = await Promise.allSettled(pointers.map(each));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  if (failures.length === 0) return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Resource>).value);
  if (failures.length === 1 || options.signal?.aborted === true) throw failures[0];
  const messages = failures.map(messageOf).join('\n');
  throw new ExpectationError(
    `${failures.length} of ${pointers.length} resources are not as they should be:\n${messages}`,
    {
      cause: new AggregateError(failures),
    },
  );
}

/**
 * Waits until the resource is gone.
 *
 * @throws `testing/expectation` when it is not in time, with the resource as it is
 */
export async function untilAbsent(state: State, pointer: Pointer, options: UntilOptions = {}): Promise<void> {
  await until(
    observed(state, pointer, `${pointerText(pointer)} to be gone`, (present) => present === undefined),
    options,
  );
}

function observed(
  state: State,
  pointer: Pointer,
  what: string,
  check: Check<Resource | undefined>,
): Expectation<Resource | undefined> {
  return {
    subject: pointer,
    what,
    check,
    show: shownResource,
    async *observe(signal) {
      const watch = await state.watch(pointer, { signal });
      for await (const event of watch) {
        if (event.type === 'errored') throw event.error;
        if (event.type === 'destroyed') yield undefined;
        else if (event.type === 'created' || event.type === 'updated') yield event.resource;
      }
    },
  };
}
