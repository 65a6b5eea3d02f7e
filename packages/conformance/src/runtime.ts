export { ConformanceError } from './assertions.js';
export { namespace as conformanceNamespace } from './items.js';
export { defaultRunOptions, type RunOptions, type TestRunner } from './runner.js';
export { type RuntimeConformanceOptions, runtimeConformance } from './runtime/runtime-conformance.js';
export { defaultRuntimeFeatures, type RuntimeFeatures } from './runtime/runtime-features.js';
export type { ConformingRuntime, ConformingTasks, RuntimePackage } from './runtime/runtime-package.js';
export type { StateFactory, StateUnderTest } from './subject.js';
