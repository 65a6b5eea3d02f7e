// npm run workflow: brings up the workflow engine from a bare clone, or from what is built already. With further
// arguments it is the `workflow` command: `npm run workflow -- run examples/hello.yaml`.
import './node-version.mjs';

const { startApp } = await import('./app.mjs');

await startApp('apps/workflow-engine', (args) => (args.length === 0 ? ['serve'] : args));
