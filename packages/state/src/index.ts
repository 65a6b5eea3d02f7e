export { Backoff, type BackoffOptions, defaultBackoff, resolveBackoff } from './backoff.js';
export {
  type Closable,
  canClose,
  canTeardown,
  canTeardownAndDestroy,
  type TeardownAndDestroyCapable,
  type TeardownCapable,
  type TeardownOptions,
} from './capabilities.js';
export { type Clock, type Random, systemClock, systemRandom, type Timer } from './clock.js';
export type {
  CallContext,
  CallOptions,
  CoreState,
  CreateOptions,
  DestroyOptions,
  GetOptions,
  ListOptions,
  QueryOptions,
  UpdateOptions,
  WatchKindOptions,
  WatchOptions,
} from './core-state.js';
export { checkDelay, sleep } from './delay.js';
export type {
  Bookmark,
  BootstrappedEvent,
  CreatedEvent,
  DestroyedEvent,
  ErroredEvent,
  Event,
  EventType,
  NoopEvent,
  UpdatedEvent,
} from './event.js';
export { checkNewPointer, maxPartBytes } from './pointer-rules.js';
export { createWatch, mapWatch, singleEvents, type Watch, type WatchSource } from './watch.js';
