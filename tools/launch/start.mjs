// npm start: brings up the VM control plane from a bare clone, or from what is built already.
import './node-version.mjs';

const { startApp } = await import('./app.mjs');

await startApp('apps/vm-control-plane');
