import type { BridgeSource } from './bridge-source.js';
import { fromCallback } from './from-callback.js';

/** Takes whatever is emitted. */
// biome-ignore lint/suspicious/noExplicitAny: emitters type their listeners by any arguments, and take no others
type Listener = (item: any) => void;

/** What has events by name: an `EventEmitter` of Node, and everything else with `on` and `off`. */
export interface EmitterLike {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
}

/** What the platform's events come from: an `EventTarget`. */
export interface EventTargetLike {
  addEventListener(event: string, listener: Listener): unknown;
  removeEventListener(event: string, listener: Listener): unknown;
}

export interface FromEmitterOptions {
  /** The event that says that the emitter broke: its listeners are removed, and added again after a backoff. Default: none. */
  readonly errorEvent?: string | undefined;
}

/**
 * The events of a name. An item is the first argument that the emitter gives its listeners.
 *
 * @typeParam T what the emitter gives; it is not checked
 */
export function fromEmitter<T>(
  emitter: EmitterLike | EventTargetLike,
  event: string,
  { errorEvent }: FromEmitterOptions = {},
): BridgeSource<T> {
  return fromCallback<T>((emit, fail) => {
    const onEvent = (item: T) => emit(item);
    const onError = (error: unknown) => fail(error);
    const listeners: [string, Listener][] = [[event, onEvent]];
    if (errorEvent !== undefined) listeners.push([errorEvent, onError]);
    for (const [name, listener] of listeners) add(emitter, name, listener);
    return () => {
      for (const [name, listener] of listeners) remove(emitter, name, listener);
    };
  });
}

function add(emitter: EmitterLike | EventTargetLike, event: string, listener: Listener): void {
  if ('on' in emitter) emitter.on(event, listener);
  else emitter.addEventListener(event, listener);
}

function remove(emitter: EmitterLike | EventTargetLike, event: string, listener: Listener): void {
  if ('on' in emitter) emitter.off(event, listener);
  else emitter.removeEventListener(event, listener);
}
