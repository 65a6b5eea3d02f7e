export { type Clock, checkDelay, type Random, sleep, systemClock, systemRandom, type Timer } from '@cosi-ts/resource';
export { Backoff, type BackoffOptions, backoffDelayMs, defaultBackoff, resolveBackoff } from './backoff.js';
export { type Write, type WriteOutcome, writeTogether } from './bulk.js';
export {
  type BulkWriteCapable,
  type Closable,
  canClose,
  canTeardown,
  canTeardownAndDestroy,
  canWriteMany,
  type TeardownAndDestroyCapable,
  type TeardownAndDestroyOptions,
  type TeardownCapable,
  type TeardownOptions,
} from './capabilities.js';
export type { Change } from './changes.js';
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
export { type Access, type AccessRule, denied, filter, type Verb, verbs } from './filter.js';
export { givenKind, givenOptions, givenPointer } from './given.js';
export { type NamespaceBuilder, NamespacedState, namespaced } from './namespaced.js';
export { type OwnedState, ownedState } from './owned-state.js';
export { checkNewPointer, maxPartBytes } from './pointer-rules.js';
export { refusedAccess } from './refusal.js';
export { registerNamespace, registerType } from './registry.js';
export { type State, wrapState } from './state.js';
export { nextTurn } from './turn.js';
export { VirtualClock } from './virtual-clock.js';
export { createWatch, mapWatch, singleEvents, type Watch, type WatchSource } from './watch.js';
export type { WatchCondition } from './watch-for.js';
