// npm run verify: everything CI checks besides the tests. Each step is an npm script of the same name, to be run alone.
import '../launch/node-version.mjs';

const { parseArgs } = await import('node:util');
const { run, stopOnSignals } = await import('../launch/child.mjs');
const { launch, seconds } = await import('../launch/step.mjs');
const { install, root } = await import('../launch/workspace.mjs');

/** In this order: the build comes before what reads built files. */
const steps = [
  'lint',
  'lint:proto',
  'check:generated',
  'build',
  'typecheck',
  'check:dependencies',
  'check:unused',
  'check:packages',
  'check:examples',
];

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !steps.includes(name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`unknown step: ${unknown.join(', ')}\n`);
  console.log(
    `npm run verify [-- STEP…]    runs every step, or those named, and fails if one fails\nsteps: ${steps.join(', ')}`,
  );
  process.exit(values.help ? 0 : 2);
}

await launch(async () => {
  stopOnSignals();
  await install();
  /** @type {string[]} */
  const failed = [];
  const begin = performance.now();
  for (const name of positionals.length > 0 ? positionals : steps) {
    const stepBegin = performance.now();
    const { exitCode, output } = await run('npm', ['run', '--silent', name], { cwd: root, keptLines: 400 });
    const verdict = exitCode === 0 ? 'OK' : 'FAILED';
    console.log(`${verdict.padEnd(7)} ${seconds(performance.now() - stepBegin).padStart(7)}  ${name}`);
    if (exitCode !== 0) {
      failed.push(name);
      console.log(output.map((line) => `    ${line}`).join('\n'));
    }
  }
  const took = seconds(performance.now() - begin);
  console.log(failed.length === 0 ? `verified in ${took}` : `FAILED in ${took}: ${failed.join(', ')}`);
  process.exit(failed.length === 0 ? 0 : 1);
});
