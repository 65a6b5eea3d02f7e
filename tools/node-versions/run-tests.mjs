// npm run test:node -- VERSION… [vitest arguments]: the tests under other versions of Node, whose binaries come from npm.
import '../launch/node-version.mjs';

const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, say, StepFailed, seconds } = await import('../launch/step.mjs');
const { install, root } = await import('../launch/workspace.mjs');

const args = process.argv.slice(2);
const firstOther = args.findIndex((arg) => !/^\d+(\.\d+)*$/.test(arg));
const versions = firstOther === -1 ? args : args.slice(0, firstOther);
const vitestArgs = firstOther === -1 ? [] : args.slice(firstOther);

if (versions.length === 0 || args.includes('--help')) {
  console.log(`npm run test:node -- VERSION… [VITEST ARGUMENT…]

  npm run test:node -- 22 24 26                    every test under each of these
  npm run test:node -- 24 --project packages       the tests of the packages, but for those that need a process alone`);
  process.exit(args.includes('--help') ? 0 : 2);
}

/** @param {string} version @returns {Promise<string>} the path of its binary, fetched once into npm's cache */
async function nodeBinary(version) {
  const name = `node-${process.platform}-${process.arch}@${version}`;
  const result = await run('npm', [
    'exec',
    '--yes',
    '--prefer-offline',
    `--package=${name}`,
    '--',
    'node',
    '-p',
    'process.execPath',
  ]);
  const path = result.output.at(-1);
  if (result.exitCode !== 0 || path === undefined) throw new StepFailed(`cannot fetch ${name}`, result);
  return path;
}

await launch(async () => {
  stopOnSignals();
  await install();
  for (const version of versions) {
    const begin = performance.now();
    const node = await nodeBinary(version);
    say(`run the tests under Node ${version} (${node}) …`);
    const { exitCode } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...vitestArgs], {
      cwd: root,
      show: true,
    });
    if (exitCode !== 0)
      throw new StepFailed(`run the tests under Node ${version}: failed with exit code ${exitCode}`, { exitCode });
    say(`run the tests under Node ${version}: done in ${seconds(performance.now() - begin)}`);
  }
});
process.exit(0);
