export {
  metaNamespace,
  metaOwner,
  type NamespaceSpec,
  NamespaceType,
  namespaceResource,
  ResourceDefinitionType,
  resourceDefinition,
} from './built-in-types.js';
export { type Clock, type Random, systemClock, systemRandom, type Timer } from './clock.js';
export type { DeepReadonly, ReadonlyBytes } from './deep-readonly.js';
export { type Declared, definitionOf, type ResourceDefinitionSpec } from './definition.js';
export { checkDelay, sleep } from './delay.js';
export { Draft, MetadataDraft, TypedDraft } from './draft.js';
export {
  type ConflictScope,
  hasCode,
  isAlreadyExists,
  isClosed,
  isConflict,
  isCorrupt,
  isDenied,
  isInUse,
  isInvalidArgument,
  isInvalidBookmark,
  isNotFound,
  isOutcomeUnknown,
  isOverrun,
  isOwnerConflict,
  isPendingFinalizers,
  isPhaseConflict,
  isResourceExhausted,
  isUnauthenticated,
  isUnavailable,
  isUnsupported,
  isVersionConflict,
} from './error-guards.js';
export {
  AlreadyExistsError,
  ClosedError,
  ConflictError,
  CorruptError,
  CosiError,
  DeniedError,
  type ErrorCode,
  type ErrorDetails,
  InUseError,
  InvalidArgumentError,
  InvalidBookmarkError,
  isCosiError,
  NotFoundError,
  OverrunError,
  OwnerConflictError,
  PendingFinalizersError,
  PhaseConflictError,
  ResourceExhaustedError,
  type Subject,
  UnauthenticatedError,
  UnavailableError,
  UnknownError,
  UnsupportedError,
  VersionConflictError,
} from './errors.js';
export { FinalizerSet, type Finalizers, finalizers, sameFinalizers } from './finalizers.js';
export { followAbort } from './follow-abort.js';
export { frozenJson, type JsonValue, mutableJson, sameJson } from './frozen-data.js';
export { IdQuery, idQuery, matchesId } from './id-query.js';
export { checkedJsonSpec, jsonSpec, schemaSpec } from './json-spec.js';
export { keepWith, keptWith } from './kept.js';
export { type LabelMatcher, labelMatcher, matchesLabels } from './label-matcher.js';
export {
  Label,
  type LabelOperation,
  type LabelQuery,
  type LabelQueryInput,
  type LabelTerm,
  label,
  labelQueries,
  type NumericValue,
} from './label-query.js';
export { Metadata, type MetadataChanges, type MetadataInit } from './metadata.js';
export { parseNumeric } from './numeric.js';
export { type Phase, parsePhase } from './phase.js';
export {
  type Kind,
  type Pointer,
  pointerKey,
  pointerText,
  sameKind,
  samePointer,
  type TypedKind,
  type TypedPointer,
} from './pointer.js';
export { isResource, Resource, TypedResource } from './resource.js';
export {
  defineResource,
  type NewResourceMetadata,
  type PrintColumn,
  ResourceType,
  type ResourceTypeOptions,
  type Sensitivity,
} from './resource-type.js';
export type { BinaryCodec, SpecCodec } from './spec-codec.js';
export { type AnyResourceType, DeclaredContent, type SpecContent, sameContent } from './spec-content.js';
export { invalidSpec, type SpecPath, specPathText } from './spec-path.js';
export { specYaml } from './spec-yaml.js';
export {
  compareUtf8,
  emptyStringMap,
  type StringMap,
  sameStringMap,
  sortedKeys,
  stringMap,
  stringMapOf,
} from './string-map.js';
export { Timestamp } from './timestamp.js';
export { isTombstone, kindTombstone, tombstone } from './tombstone.js';
export { automaticAliases, definitionId, parseTypeName, qualifiedPlurals, type TypeName } from './type-name.js';
export { createTypeRegistry, type TypeLookup, TypeRegistry } from './type-registry.js';
export { checkVersion, formatVersion, maxVersion, parseVersion, type Version } from './version.js';
export { type ParseYamlOptions, parseYaml, type ToYamlOptions, toYaml, type YamlDocument } from './yaml.js';
export { YamlError, type YamlPosition } from './yaml-error.js';
