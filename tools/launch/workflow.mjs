// npm run workflow: brings up the workflow engine from a bare clone, or from what is built already. With further
// arguments it is the `workflow` command: `npm run workflow -- run examples/hello.yaml`.
import './node-version.mjs';

const { existsSync } = await import('node:fs');
const { join, resolve } = await import('node:path');
const { startApp } = await import('./app.mjs');
const { sayOn } = await import('./step.mjs');
const { root } = await import('./workspace.mjs');

const folder = 'apps/workflow-engine';
// biome-ignore lint/suspicious/noUndeclaredEnvVars: npm sets it for each run, and nothing that is built depends on it
const typedIn = process.env.INIT_CWD ?? process.cwd();

/** The examples are those of the app, unless there are others where someone is. @param {string} arg */
function withExamples(arg) {
  if (!arg.startsWith('examples/') || existsSync(resolve(typedIn, arg))) return arg;
  const example = join(root, folder, arg);
  return existsSync(example) ? example : arg;
}

// What a command prints is for whoever reads it, and not what was said before.
if (process.argv.length > 2) sayOn(process.stderr);
await startApp(folder, (args) => (args.length === 0 ? ['serve'] : args.map(withExamples)));
