import type { Kind, Pointer, TypedKind, TypedPointer } from '@cosi-ts/resource';
import type { Mapper } from './mappers.js';

/** An input whose resources are the items of a queue controller: each change of one has it reconciled. */
export interface PrimaryInput<P extends Pointer = Pointer> {
  readonly kind: 'primary';
  readonly of: Kind | Pointer;
  /** Makes the pointer that `reconcile` is given. */
  readonly point: (id: string) => P;
}

/**
 * An input whose changes are mapped to primary items. A destroy-ready one counts only when its resource is tearing down
 * without finalizers, or gone.
 */
export interface MappedInput {
  readonly kind: 'mapped' | 'mapped-destroy-ready';
  readonly of: Kind | Pointer;
  /** Takes precedence over the controller's `mapInput`. */
  readonly mapper: Mapper | undefined;
}

/** What a queue controller reads, and what wakes it. */
export type QueueInput<P extends Pointer = Pointer> = PrimaryInput<P> | MappedInput;

/**
 * The resources of a kind, or the one at a pointer, are what the controller reconciles.
 *
 * @example
 * inputs: [primary(VMConfig.kind)]
 */
export function primary<S>(of: TypedKind<S> | TypedPointer<S>): PrimaryInput<TypedPointer<S>>;
export function primary(of: Kind | Pointer): PrimaryInput;
export function primary(of: Kind | Pointer | TypedKind<unknown>): PrimaryInput {
  const { namespace, type } = of;
  const point =
    'declaration' in of
      ? (id: string) => of.declaration.at(id, namespace)
      : (id: string) => Object.freeze({ namespace, type, id });
  return Object.freeze({ kind: 'primary', of: subject(of), point });
}

/**
 * Changes of the kind, or of the resource at the pointer, have primary items reconciled: those that the mapper gives,
 * or without one the controller's `mapInput`.
 *
 * @example
 * inputs: [primary(VMConfig.kind), mapped(NetworkConfig.kind, sameId(VMConfig.kind))]
 */
export function mapped(of: Kind | Pointer, mapper?: Mapper): MappedInput {
  return Object.freeze({ kind: 'mapped', of: subject(of), mapper });
}

/** Like {@link mapped}, for resources that are tearing down without finalizers, or gone. For waiting on one's outputs. */
export function mappedDestroyReady(of: Kind | Pointer, mapper?: Mapper): MappedInput {
  return Object.freeze({ kind: 'mapped-destroy-ready', of: subject(of), mapper });
}

function subject(of: Kind | Pointer): Kind | Pointer {
  const { namespace, type } = of;
  return Object.freeze('id' in of ? { namespace, type, id: of.id } : { namespace, type });
}
