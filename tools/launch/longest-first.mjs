// The order of test files. One that takes long and begins last leaves the other cores without work, and vitest knows how
// long each takes only where it has run before: these are the ones that take more than about five seconds, longest first.
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer } from 'vitest/node';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** By path from the top. */
export const longTests = [
  'tools/conformance-runs/src/remote.test.ts',
  'tools/conformance-runs/src/durable.test.ts',
  'tools/conformance-runs/src/broken.test.ts',
  'apps/workflow-engine/src/examples.test.ts',
  'apps/workflow-engine/src/main.test.ts',
  'apps/workflow-engine/src/page/page.browser.test.ts',
  'tools/conformance-runs/src/runtime-remote.test.ts',
  'tools/conformance-runs/src/local.test.ts',
  'apps/vm-control-plane/src/page/page.browser.test.ts',
  'tools/conformance-runs/src/broken-runtimes.test.ts',
  'apps/vm-control-plane/src/restart.test.ts',
  'apps/workflow-engine/src/expression/expression.test.ts',
  'apps/vm-control-plane/src/control-plane.scale.test.ts',
  'tools/conformance-runs/src/runtime-durable.test.ts',
  'tools/conformance-runs/src/declarations.test.ts',
  'apps/workflow-engine/src/definition/parse-definition.test.ts',
  'tools/conformance-runs/src/runtime-local.test.ts',
  'packages/store-leveldb/src/verify.test.ts',
  'packages/runtime/src/convergence.test.ts',
  'packages/runtime/src/bad-company.test.ts',
  'packages/transport/src/server/roles.test.ts',
];

/** @param {import('vitest/node').TestSpecification} spec */
function rank({ moduleId }) {
  const at = longTests.indexOf(relative(root, moduleId).split(sep).join('/'));
  return at < 0 ? longTests.length : at;
}

export class LongestFirst extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} specs @override */
  async sort(specs) {
    const sorted = await super.sort(specs);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    // Project by project: a worker that goes to another one starts anew.
    return projects.flatMap((project) =>
      sorted.filter((spec) => spec.project === project).sort((a, b) => rank(a) - rank(b)),
    );
  }
}
