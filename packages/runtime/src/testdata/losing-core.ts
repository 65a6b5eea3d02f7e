import { type Resource, UnavailableError } from '@cosi-ts/resource';
import { type CoreState, canTeardown, type TeardownCapable } from '@cosi-ts/state';

/**
 * What becomes of a write whose answer is lost: it is made; or it gets lost, too; or it arrives only when the next one
 * does, before it.
 */
export type Loss = 'made' | 'lost' | 'late';

/** A state that loses answers to writes. */
export interface LosingCore extends CoreState {
  /** What becomes of the next writes, one each. All is well with those after them. */
  readonly losses: Loss[];
  /** What was asked of the state behind, in order. */
  readonly calls: string[];
  /** What others do between a loss and the time at which it is noticed. */
  meanwhile: () => Promise<unknown>;
  /** Whether nothing can be read. */
  unreadable: boolean;
  /** Has arrive what is late: a server does not keep it for good. */
  arrive(): Promise<void>;
}

/** Passes native teardown on where the state has it. */
export function losing(core: CoreState & Partial<TeardownCapable>): LosingCore {
  const late: (() => Promise<unknown>)[] = [];
  const writing = async <T>(name: string, write: () => Promise<T>): Promise<T> => {
    state.calls.push(name);
    await state.arrive();
    const loss = state.losses.shift();
    if (loss === undefined) return write();
    // What it would be refused with is lost as well.
    if (loss === 'made') await write().catch(() => undefined);
    if (loss === 'late') late.push(write);
    await state.meanwhile();
    throw new UnavailableError('the connection broke', { outcomeUnknown: true });
  };
  const state: LosingCore & Partial<TeardownCapable> = {
    losses: [],
    calls: [],
    meanwhile: async () => undefined,
    unreadable: false,
    async arrive() {
      // What it is refused with comes to nobody.
      for (const write of late.splice(0)) await write().catch(() => undefined);
    },
    async get(pointer, options): Promise<Resource> {
      state.calls.push('get');
      if (state.unreadable) throw new UnavailableError('nobody is there');
      return core.get(pointer, options);
    },
    list: core.list.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
    create: (resource, options) => writing('create', () => core.create(resource, options)),
    update: (resource, options) => writing('update', () => core.update(resource, options)),
    destroy: (pointer, options) => writing('destroy', () => core.destroy(pointer, options)),
  };
  if (canTeardown(core)) {
    state.teardown = (pointer, options) => writing('teardown', () => core.teardown(pointer, options));
  }
  return state;
}
