import {
  isNotFound,
  type Kind,
  type Phase,
  type Pointer,
  type StringMap,
  type TypedKind,
  type TypedResource,
} from '@cosi-ts/resource';
import type { JobContext } from './job-context.js';

/** What a mapper is told of a mapped resource that changed. Of one that is gone: as it was last. */
export interface InputMetadata extends Pointer {
  readonly phase: Phase;
  readonly labels: StringMap;
  readonly finalizersEmpty: boolean;
}

/** Primary items to reconcile: none, one, or several. */
export type MapResult = Pointer | Iterable<Pointer> | undefined;

/**
 * Tells which primary items are to be reconciled because a mapped resource changed. When it throws, it is called again
 * after a backoff. A pointer whose kind is no primary input is an error.
 */
export type Mapper = (metadata: InputMetadata, context: JobContext) => MapResult | Promise<MapResult>;

/** The item of the kind that has the same id. */
export function sameId(to: Kind): Mapper {
  const { namespace, type } = to;
  return ({ id }) => ({ namespace, type, id });
}

/** The item of the kind whose id is the value of a label; none where the label is missing or empty. */
export function labelValue(to: Kind, label: string): Mapper {
  const { namespace, type } = to;
  return ({ labels }) => {
    const id = labels[label];
    return id === undefined || id === '' ? undefined : { namespace, type, id };
  };
}

/**
 * Reads the resource, and lets the function tell the items. None when it is gone.
 *
 * @example
 * mapped(VMStatus.kind, fromResource(VMStatus.kind, (status) => VMConfig.at(status.spec.vm)))
 */
export function fromResource<S>(
  of: TypedKind<S>,
  items: (resource: TypedResource<S>, context: JobContext) => MapResult | Promise<MapResult>,
): Mapper {
  return async ({ id, namespace }, context) => {
    let resource: TypedResource<S>;
    try {
      resource = await context.state.get(of.declaration.at(id, namespace) as never);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    return items(resource, context);
  };
}

/** No items: the input can be read and its finalizers changed, and its changes wake nobody. */
export const noItems: Mapper = () => undefined;
