import {
  AlreadyExistsError,
  type CosiError,
  NotFoundError,
  type Pointer,
  type Resource,
  VersionConflictError,
} from '@cosi-ts/resource';

/** What is stored tells of a write whose answer was lost. */
export type Judgement<T> =
  /** It has had its effect. */
  | { readonly is: 'made'; readonly result: T }
  /** It has had none yet: made again, it cannot be made twice. */
  | { readonly is: 'pending' }
  /** It has had none, and never will. */
  | { readonly is: 'refused'; readonly error: CosiError }
  /** Nothing certain. */
  | { readonly is: 'unclear' };

// In all of these, `isAlone` says that nobody else writes the resource, finalizers apart: it belongs to who makes the
// write, and no other write of its own to it was under way. Then what is stored tells more: what equals the write is it.

const pending = Object.freeze({ is: 'pending' } as const);
const unclear = Object.freeze({ is: 'unclear' } as const);

/** @param given with the owner that it was to have */
export function judgeCreate(given: Resource, found: Resource | undefined, isAlone: boolean): Judgement<Resource> {
  if (!isAlone) return unclear;
  if (found === undefined) return pending;
  if (found.metadata.version !== 1n) return unclear;
  switch (compared(found, given.withMetadata(given.metadata.with({ version: 1n })))) {
    case 'same':
      return { is: 'made', result: found };
    case 'different':
      return { is: 'refused', error: new AlreadyExistsError(given.metadata) };
    case 'unclear':
      return unclear;
  }
}

export function judgeUpdate(given: Resource, found: Resource | undefined, isAlone: boolean): Judgement<Resource> {
  const { version, created } = given.metadata;
  // In another life of the id the versions begin anew.
  if (version === undefined || found === undefined || !found.metadata.created.equals(created)) return unclear;
  // The state takes one write at most to each version, however often it comes.
  if (found.metadata.version === version) return pending;
  if (found.metadata.version !== version + 1n) return unclear;
  switch (compared(found, given.withMetadata(given.metadata.with({ version: version + 1n })))) {
    case 'same':
      // Somebody else may have written the very same.
      return isAlone ? { is: 'made', result: found } : unclear;
    case 'different':
      return { is: 'refused', error: new VersionConflictError(given.metadata, version, found.metadata.version) };
    case 'unclear':
      return unclear;
  }
}

export function judgeTeardown(pointer: Pointer, found: Resource | undefined, isAlone: boolean): Judgement<boolean> {
  if (found === undefined) return { is: 'refused', error: new NotFoundError(pointer) };
  const { phase, finalizers } = found.metadata;
  if (phase === 'tearingDown') return { is: 'made', result: finalizers.length === 0 };
  // It was not torn down, or it was, is gone, and somebody has made it anew.
  return isAlone ? pending : unclear;
}

export function judgeDestroy(found: Resource | undefined, isAlone: boolean): Judgement<void> {
  if (found === undefined) return { is: 'made', result: undefined };
  // One that runs may be another life of the id, which nobody wants destroyed.
  return isAlone || found.metadata.phase === 'tearingDown' ? pending : unclear;
}

/**
 * Whether what was found is what was written. A spec may come back changed by its own encoding, as fractions do that are
 * stored with less precision.
 */
function compared(found: Resource, written: Resource): 'same' | 'different' | 'unclear' {
  if (!found.metadata.equals(written.metadata)) return 'different';
  if (found.equals(written)) return 'same';
  const { declaration } = written.content;
  if (declaration === undefined) return 'different';
  const { codec } = declaration;
  const { binary } = codec;
  const spec: unknown = written.content.valueFor(declaration);
  const encoded = binary === undefined ? codec.fromJson(codec.toJson(spec)) : binary.decode(binary.encode(spec));
  if (codec.equals(found.content.valueFor(declaration), encoded)) return 'same';
  return codec.equals(spec, encoded) ? 'different' : 'unclear';
}
