// Which package may depend on which, for dependency-cruiser. A new package is a line in `directions`; one that has no
// line is an error, and so is an import that cannot be resolved, which no other rule would see.

/**
 * What each package may import: the direct arrows of the architecture. What those packages depend on may be imported
 * too, since it is always there. Names in `types` may be imported as types only, and pass nothing on.
 * @type {Record<string, { on: string[], types?: string[] }>}
 */
const directions = {
  resource: { on: [] },
  proto: { on: ['resource'] },
  state: { on: ['resource'] },
  'state-inmem': { on: ['state'] },
  'store-leveldb': { on: ['state'], types: ['state-inmem'] },
  'state-etcd': { on: ['state', 'proto'] },
  marshalers: { on: ['resource', 'proto'], types: ['state-inmem'] },
  keystorage: { on: ['resource', 'proto'] },
  access: { on: ['state'] },
  runtime: { on: ['state'] },
  transport: { on: ['state', 'proto'] },
  conformance: { on: ['state'], types: ['runtime'] },
  testing: { on: ['state', 'runtime'] },
  console: { on: ['transport'] },
};

/** Packages like apps: they may use everything and nothing uses them. */
const leaves = ['cli', 'console'];

/** Packages that run wherever JavaScript runs. */
const hostNeutral = ['resource', 'proto', 'state', 'access', 'state-inmem', 'runtime', 'conformance', 'testing'];

/** Tests choose their partners freely: what they must not do, need each other in a cycle, turbo refuses. */
const tests = ['\\.test\\.ts$', '/testdata/'];

/** @param {string} name @returns {string[]} */
const reachable = (name) => [...new Set((directions[name]?.on ?? []).flatMap((next) => [next, ...reachable(next)]))];

/** @param {readonly string[]} names */
const packagesNamed = (names) => `^packages/(${names.join('|')})/`;

const directionRules = Object.entries(directions).flatMap(([name, { types = [] }]) => {
  const allowed = [name, ...reachable(name)];
  const comment = `@cosi-ts/${name} may depend on ${reachable(name).join(', ') || 'no other package'}${types.length > 0 ? `, and on the types of ${types.join(', ')}` : ''}.`;
  const from = { path: packagesNamed([name]), pathNot: tests };
  return [
    {
      name: `direction-of-${name}`,
      severity: 'error',
      comment,
      from,
      to: { path: '^packages/', pathNot: packagesNamed([...allowed, ...types]) },
    },
    ...(types.length === 0
      ? []
      : [
          {
            name: `types-only-in-${name}`,
            severity: 'error',
            comment,
            from,
            to: { path: packagesNamed(types), dependencyTypesNot: ['type-only'] },
          },
        ]),
  ];
});

export default {
  forbidden: [
    ...directionRules,
    {
      name: 'package-without-a-direction',
      severity: 'error',
      comment: 'Give the new package its line in tools/verify/dependency-rules.mjs.',
      from: { path: '^packages/', pathNot: packagesNamed([...Object.keys(directions), ...leaves]) },
      to: {},
    },
    {
      name: 'nothing-uses-the-leaves',
      severity: 'error',
      comment: 'The CLI and the console use other packages; no package uses them.',
      from: { path: '^packages/', pathNot: packagesNamed(leaves) },
      to: { path: packagesNamed(leaves) },
    },
    {
      name: 'nothing-uses-apps',
      severity: 'error',
      comment: 'Apps use everything; nothing uses them. What they have in common is in the kit.',
      from: { path: '^(packages|apps|tools)/([^/]+)/' },
      to: { path: '^apps/', pathNot: ['^$1/$2/', '^apps/kit/'] },
    },
    {
      name: 'the-kit-is-for-apps',
      severity: 'error',
      comment: 'The kit is what the apps have in common: packages and tools have no use for it.',
      from: { path: '^(packages|tools)/' },
      to: { path: '^apps/kit/' },
    },
    {
      name: 'helpers-of-tests-in-sources',
      severity: 'error',
      comment: 'What tests of apps need is not for the apps themselves.',
      from: { path: '^apps/[^/]+/src/', pathNot: [...tests, '/src/testing/'] },
      to: { path: '^apps/[^/]+/src/testing/' },
    },
    {
      name: 'packages-use-no-tools',
      severity: 'error',
      comment: 'Tools serve the workspace; a published package cannot take them along.',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { path: '^tools/' },
    },
    {
      name: 'host-neutral',
      severity: 'error',
      comment: `These packages import nothing of Node: ${hostNeutral.join(', ')}.`,
      from: { path: packagesNamed(hostNeutral), pathNot: [...tests, '\\.config\\.ts$'] },
      to: { dependencyTypes: ['core'], dependencyTypesNot: ['process-get-builtin-module'] },
    },
    {
      name: 'through-the-entry',
      severity: 'error',
      comment: 'Another package is imported by its name, never by a path into its sources.',
      from: { path: '^(packages|apps|tools)/([^/]+)/' },
      to: {
        path: '^(packages|apps)/[^/]+/src/',
        pathNot: ['^$1/$2/', '/internal\\.ts$'],
        dependencyTypesNot: ['aliased-tsconfig-paths'],
      },
    },
    {
      name: 'seams-are-for-tests',
      severity: 'error',
      comment: "Only tests and the workspace's tools reach into the internal.ts of a package.",
      from: { path: '^(packages|apps)/([^/]+)/src/', pathNot: tests },
      to: { path: '/internal\\.ts$', pathNot: '^$1/$2/' },
    },
    {
      name: 'internal-stays-inside',
      severity: 'error',
      comment: 'internal.ts holds seams for tests: no entry point exports it.',
      from: { path: '/(index|web)\\.ts$' },
      to: { path: '/internal\\.ts$' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Modules that need each other to load are one module, or need a third. Types may refer to each other.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-tests-in-sources',
      severity: 'error',
      comment: 'What is published must not need what is not.',
      from: { path: '^(packages|apps)/[^/]+/src/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'declared',
      severity: 'error',
      comment: 'A package that is published declares what it imports as a dependency.',
      from: { path: '^packages/[^/]+/src/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolved',
      severity: 'error',
      comment: 'An import that cannot be resolved escapes every other rule.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    // The peers of benchmarks are programs of others, with what is installed for them alone.
    exclude: { path: ['/src/gen/', '^tools/bench/peer/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.json'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
