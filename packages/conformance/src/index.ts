export { ConformanceError } from './assertions.js';
export { absentFeatures, defaultFeatures, resolveFeatures, type StateFeatures, type UpdateCheck } from './features.js';
export { namespace as conformanceNamespace } from './items.js';
export { type ModelConformanceOptions, modelConformance } from './model/model-conformance.js';
export { defaultRunOptions, type RunOptions, type TestRunner } from './runner.js';
export { type StateConformanceOptions, stateConformance } from './state-conformance.js';
export type { StateFactory, StateUnderTest } from './subject.js';
