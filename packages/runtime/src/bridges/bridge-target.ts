import type { Pointer } from '@cosi-ts/resource';

/** The items that an event concerns: none, one, or several. */
export type Concerned = Pointer | Iterable<Pointer> | undefined;

/** Whom a bridge wakes. Pointers that come before they are given on become one, and so do undefined ones. */
export interface BridgeTarget<T> {
  /** What an event concerns; undefined stands for the target as a whole. */
  concerned(item: T, signal: AbortSignal): Promise<Iterable<Pointer | undefined>>;
  /** What may have been missed while nobody listened: asked whenever listening begins, `again` or for the first time. */
  missed(again: boolean, signal: AbortSignal): Promise<Iterable<Pointer | undefined>>;
  wake(pointer: Pointer | undefined): void;
}

/** A controller's handle or context, and a runtime's. */
export interface ReconcileTarget {
  queueReconcile(): unknown;
}

/** A queue controller's handle, or the context of its run hook. */
export interface ItemTarget {
  queue(pointer: Pointer): unknown;
}

export interface ToItemsOptions {
  /**
   * The items to reconcile whenever listening begins, and so also after the source broke: what happened meanwhile is in
   * no event. Default: none.
   */
  readonly missed?: ((signal: AbortSignal) => Iterable<Pointer> | Promise<Iterable<Pointer>>) | undefined;
}

/** Each event is a reconcile event for the controller, and so is that the source was listened to again after it broke. */
export function toController(target: ReconcileTarget): BridgeTarget<unknown> {
  const whole = [undefined];
  return Object.freeze({
    concerned: async () => whole,
    missed: async (again: boolean) => (again ? whole : []),
    wake: () => void target.queueReconcile(),
  });
}

/** Each event has the items reconciled that the function gives for it. Those must be of primary inputs. */
export function toItems<T>(
  target: ItemTarget,
  concerned: (item: T, signal: AbortSignal) => Concerned | Promise<Concerned>,
  options: ToItemsOptions = {},
): BridgeTarget<T> {
  const { missed } = options;
  return Object.freeze({
    concerned: async (item: T, signal: AbortSignal) => pointersOf(await concerned(item, signal)),
    missed: async (_again: boolean, signal: AbortSignal) => (missed === undefined ? [] : missed(signal)),
    wake: (pointer: Pointer | undefined) => {
      if (pointer !== undefined) target.queue(pointer);
    },
  });
}

function pointersOf(concerned: Concerned): Iterable<Pointer> {
  if (concerned === undefined) return [];
  return Symbol.iterator in concerned ? concerned : [concerned];
}
