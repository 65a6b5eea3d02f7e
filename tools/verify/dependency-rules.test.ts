import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// A small workspace in which every forbidden import is made once, and some that are allowed.
const files: Record<string, string> = {
  'packages/resource/src/index.ts': "export * from './pointer.js';",
  'packages/resource/src/pointer.ts': 'export const pointer = 1;\nexport type Pointer = string;',
  'packages/resource/src/upward.ts': "import '@cosi-ts/state';",
  'packages/resource/src/host.ts': "import 'node:fs';",
  'packages/resource/src/host.test.ts': "import 'node:fs';\nimport '@cosi-ts/state-inmem';",
  'packages/resource/src/a.ts': "import './b.js';",
  'packages/resource/src/b.ts': "import './a.js';",
  'packages/resource/src/c.ts': "import type { D } from './d.js';\nexport type C = D;",
  'packages/resource/src/d.ts': "import type { C } from './c.js';\nexport type D = C;",
  'packages/resource/src/lost.ts': "import '@cosi-ts/no-such-package';",
  'packages/resource/src/sideways.ts': "import '../../state/src/index.js';",
  'packages/resource/src/tested.ts': "import './host.test.js';",
  'packages/resource/src/tooled.ts': "import '../../../tools/bench/src/index.js';",
  'packages/resource/src/internal.ts': 'export const seam = 1;',
  'packages/state/src/index.ts': "import '@cosi-ts/resource';\nexport * from './internal.js';",
  'packages/state/src/internal.ts': 'export const seam = 1;',
  'packages/state/src/console.ts': "import '@cosi-ts/console';",
  'packages/proto/src/seams.ts': "import '../../state/src/internal.js';",
  'packages/state-inmem/src/index.ts':
    "import '@cosi-ts/resource';\nimport '@cosi-ts/state';\nexport type Store = string;",
  'packages/runtime/src/index.ts': "import '@cosi-ts/state';\nexport type Report = string;",
  'packages/conformance/src/index.ts': "import type { Report } from '@cosi-ts/runtime';\nexport type R = Report;",
  'packages/conformance/src/values.ts': "import '@cosi-ts/runtime';",
  'packages/store-leveldb/src/index.ts':
    "import '@cosi-ts/resource';\nimport type { Store } from '@cosi-ts/state-inmem';\nexport type S = Store;",
  'packages/store-leveldb/src/values.ts': "import '@cosi-ts/state-inmem';",
  'packages/console/src/index.ts': "import '@cosi-ts/transport';",
  'packages/transport/src/index.ts': "import 'node:net';\nimport '@cosi-ts/resource';",
  'packages/newcomer/src/index.ts': "import '@cosi-ts/resource';",
  'packages/resource/src/kitted.ts': "import '@cosi-ts/app-kit';",
  'apps/vms/src/index.ts': "import '@cosi-ts/console';\nimport '@cosi-ts/state';\nimport '@cosi-ts/app-kit';",
  'apps/vms/src/index.test.ts': "import '@cosi-ts/app-kit/testing';\nimport './testing/fixture.js';",
  'apps/vms/src/testing/fixture.ts': "import '@cosi-ts/app-kit/testing';",
  'apps/vms/src/neighbour.ts': "import '../../jobs/src/index.js';",
  'apps/vms/src/tested.ts': "import './testing/fixture.js';",
  'apps/jobs/src/index.ts': "import '@cosi-ts/app-kit/testing';",
  'apps/kit/src/index.ts': "import '@cosi-ts/state';",
  'apps/kit/src/upward.ts': "import '../../vms/src/index.js';",
  'apps/kit/src/testing/index.ts': "import '@cosi-ts/runtime';",
  'tools/bench/src/index.ts': "import '@cosi-ts/runtime';",
  'tools/bench/src/seams.test.ts': "import '../../../packages/state/src/internal.js';",
  'tools/bench/src/deep.test.ts': "import '../../../packages/resource/src/pointer.js';",
  'tools/bench/src/app.ts': "import '../../../apps/vms/src/index.js';",
};

const root = join(import.meta.dirname, '..', '..');
let folder: string;
/** The violations of each file, by the names of the rules. */
let broken: Map<string, Set<string>>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cosi-dependency-rules-'));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const paths = {
    '@cosi-ts/app-kit': ['./apps/kit/src/index.ts'],
    '@cosi-ts/app-kit/testing': ['./apps/kit/src/testing/index.ts'],
    '@cosi-ts/*': ['./packages/*/src/index.ts'],
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'esnext', moduleResolution: 'bundler', paths } }));
  const config = join(root, 'tools/verify/dependency-rules.mjs');
  const cruised = spawnSync(
    join(root, 'node_modules/.bin/depcruise'),
    ['--config', config, '--output-type', 'json', 'packages', 'apps', 'tools'],
    { cwd: folder, encoding: 'utf8' },
  );
  broken = new Map();
  for (const { rule, from, cycle } of JSON.parse(cruised.stdout).summary.violations) {
    // A cycle is reported at any one of its files.
    const file = cycle === undefined ? from : [from, ...cycle.map((each: { name: string }) => each.name)].sort()[0];
    broken.set(file, (broken.get(file) ?? new Set()).add(rule.name));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const refused: Record<string, string[]> = {
  'packages/resource/src/upward.ts': ['direction-of-resource'],
  'packages/resource/src/sideways.ts': ['direction-of-resource', 'through-the-entry'],
  'packages/resource/src/host.ts': ['host-neutral'],
  'packages/resource/src/a.ts': ['no-cycles'],
  'packages/resource/src/lost.ts': ['resolved'],
  'packages/resource/src/tested.ts': ['no-tests-in-sources'],
  'packages/resource/src/tooled.ts': ['packages-use-no-tools'],
  'packages/resource/src/kitted.ts': ['the-kit-is-for-apps'],
  'packages/state/src/index.ts': ['internal-stays-inside'],
  'packages/state/src/console.ts': ['direction-of-state', 'nothing-uses-the-leaves'],
  'packages/conformance/src/values.ts': ['types-only-in-conformance'],
  'packages/store-leveldb/src/values.ts': ['types-only-in-store-leveldb'],
  'packages/newcomer/src/index.ts': ['package-without-a-direction'],
  'packages/proto/src/seams.ts': ['direction-of-proto', 'seams-are-for-tests'],
  'apps/vms/src/neighbour.ts': ['nothing-uses-apps', 'through-the-entry'],
  'apps/vms/src/tested.ts': ['helpers-of-tests-in-sources'],
  'apps/jobs/src/index.ts': ['helpers-of-tests-in-sources'],
  'apps/kit/src/upward.ts': ['nothing-uses-apps', 'through-the-entry'],
  'tools/bench/src/deep.test.ts': ['through-the-entry'],
  'tools/bench/src/app.ts': ['nothing-uses-apps', 'through-the-entry'],
};

describe('dependency rules', () => {
  it.each(Object.entries(refused))('refuse %s for %s', (file, names) => {
    expect([...(broken.get(file) ?? [])].sort()).toEqual(names);
  });

  it('allow everything else', () => {
    expect([...broken.keys()].filter((file) => refused[file] === undefined)).toEqual([]);
  });
});
