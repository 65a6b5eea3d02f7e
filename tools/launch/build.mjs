// npm run build: installs what is missing and builds every package.
import './node-version.mjs';

const { stopOnSignals } = await import('./child.mjs');
const { launch } = await import('./step.mjs');
const { build, install } = await import('./workspace.mjs');

await launch(async () => {
  stopOnSignals();
  await install();
  await build();
});
process.exit(0);
