// Brings an app up: installs and builds what is missing, and hands this process over to it.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stopOnSignals } from './child.mjs';
import { launch, say } from './step.mjs';
import { build, install, members, root } from './workspace.mjs';

/**
 * @param {string} folder of the app, from the top of the repository
 * @param {(args: readonly string[]) => readonly string[]} [argsOf] what the app gets of what was typed. Default: all
 */
export async function startApp(folder, argsOf = (args) => args) {
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
  process.argv.splice(1, process.argv.length - 1, entry, ...argsOf(process.argv.slice(2)));
  // npm runs this at the top, and the paths that someone typed are meant from where they are.
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: npm sets it for each run, and nothing that is built depends on it
  const typedIn = process.env.INIT_CWD;
  if (typedIn !== undefined) process.chdir(typedIn);
  await import(pathToFileURL(entry).href);
}
