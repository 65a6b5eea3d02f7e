// npm start: brings up the VM control plane from a bare clone, or from what is built already.
import './node-version.mjs';

const { stopOnSignals } = await import('./child.mjs');
const { launch, say } = await import('./step.mjs');
const { build, install, members, root } = await import('./workspace.mjs');
const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');

const folder = 'apps/vm-control-plane';
const entry = join(root, folder, 'dist', 'main.js');

await launch(async () => {
  const release = stopOnSignals();
  await install();
  const app = members().find((member) => member.folder === folder);
  if (app === undefined) throw new Error(`${folder} is missing`);
  await build(app.manifest.name);
  release();
});

// The app takes this process over: signals, exit code and terminal are its own, with nothing in between.
say(`start ${folder}`);
process.argv.splice(1, 1, entry);
// npm runs this at the top, and the paths that someone typed are meant from where they are.
// biome-ignore lint/suspicious/noUndeclaredEnvVars: npm sets it for each run, and nothing that is built depends on it
const typedIn = process.env.INIT_CWD;
if (typedIn !== undefined) process.chdir(typedIn);
await import(pathToFileURL(entry).href);
