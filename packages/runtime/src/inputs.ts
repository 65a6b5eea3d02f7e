import type { Kind, Pointer, TypedKind, TypedPointer } from '@cosi-ts/resource';
import type { Mapper } from './mappers.js';

/** An input of a controller: any change of a resource of it is a reconcile event. */
export interface ControllerInput {
  /**
   * Weak inputs are read; of strong ones the finalizers can be changed, too. A destroy-ready one counts only when its
   * resource is tearing down without finalizers, or gone.
   */
  readonly kind: 'weak' | 'strong' | 'destroy-ready';
  readonly of: Kind | Pointer;
}

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

/** What any input says of itself. */
export type DeclaredInput = Pick<ControllerInput | QueueInput, 'kind' | 'of'>;

/** The controller reads the resources of a kind, or the one at a pointer, and is woken by their changes. */
export function weak(of: Kind | Pointer): ControllerInput {
  return Object.freeze({ kind: 'weak', of: subject(of) });
}

/** Like {@link weak}, and the controller changes finalizers on them. */
export function strong(of: Kind | Pointer): ControllerInput {
  return Object.freeze({ kind: 'strong', of: subject(of) });
}

/** Like {@link weak}, for resources that are tearing down without finalizers, or gone. For waiting on one's outputs. */
export function destroyReady(of: Kind | Pointer): ControllerInput {
  return Object.freeze({ kind: 'destroy-ready', of: subject(of) });
}

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
