// npm run start-check: `npm start` as people use it. It comes up and answers; Ctrl-C ends it and all it started; a second
// start takes seconds and no network; a signal to npm alone, as a supervisor sends it, ends it too.
import './node-version.mjs';

const { spawn } = await import('node:child_process');
const { connect } = await import('node:net');
const { setTimeout: sleep } = await import('node:timers/promises');
const { stopOnSignals } = await import('./child.mjs');
const { launch, say, seconds, StepFailed } = await import('./step.mjs');
const { build, install, root } = await import('./workspace.mjs');

const [host, port] = ['127.0.0.1', 8080];
const firstStartMs = 120_000;
const secondStartMs = 10_000;
const stopMs = 10_000;

const isTaken = () =>
  new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

async function answers() {
  try {
    const response = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(2000) });
    return response.ok;
  } catch {
    // Not up yet: the caller asks again until its time is over.
    return false;
  }
}

/** @param {() => Promise<boolean> | boolean} condition @param {number} timeoutMs @returns {Promise<boolean>} whether it came true */
async function becomes(condition, timeoutMs) {
  for (const end = performance.now() + timeoutMs; performance.now() < end; await sleep(50)) {
    if (await condition()) return true;
  }
  return false;
}

/**
 * @param {string} title
 * @param {{ upMs: number, env?: Record<string, string>, stop: (pid: number) => void }} how
 */
async function startAndStop(title, { upMs, env = {}, stop }) {
  if (await isTaken()) throw new StepFailed(`something listens on ${host}:${port} already: stop it first`);
  const begin = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  const kill = () => process.kill(-pid, 'SIGKILL');
  process.on('exit', kill);
  /** @type {string[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(String(data).trimEnd()));
  // The pipes close when the last process that holds them has ended, npm's children included.
  let ended = false;
  child.on('close', () => {
    ended = true;
  });
  const fail = (/** @type {string} */ message) => new StepFailed(`${title}: ${message}`, { output: output.slice(-60) });

  try {
    if (!(await becomes(async () => ended || (await answers()), upMs))) throw fail(`no answer within ${seconds(upMs)}`);
    if (ended) throw fail('ended before it answered');
    const page = await fetch(`http://${host}:${port}/`);
    if (!page.ok) throw fail(`the page answers ${page.status}`);
    const upAfter = seconds(performance.now() - begin);

    const stopBegin = performance.now();
    stop(pid);
    if (!(await becomes(() => ended, stopMs))) throw fail(`did not stop within ${seconds(stopMs)}`);
    if (await isTaken()) throw fail(`stopped, but ${host}:${port} is still taken`);
    say(`${title}: answered after ${upAfter}, and stopped after ${seconds(performance.now() - stopBegin)}`);
  } finally {
    process.off('exit', kill);
    if (!ended) kill();
  }
}

// Whoever asks a registry through these gets no answer.
const nowhere = 'http://127.0.0.1:9/';
const noNetwork = {
  npm_config_registry: nowhere,
  HTTP_PROXY: nowhere,
  HTTPS_PROXY: nowhere,
  npm_config_proxy: nowhere,
};

await launch(async () => {
  stopOnSignals();
  await install();
  await build();
  await startAndStop('npm start', { upMs: firstStartMs, stop: (pid) => process.kill(-pid, 'SIGINT') });
  await startAndStop('npm start without a network', {
    upMs: secondStartMs,
    env: noNetwork,
    stop: (pid) => process.kill(-pid, 'SIGINT'),
  });
  await startAndStop('npm start under a supervisor', {
    upMs: secondStartMs,
    stop: (pid) => process.kill(pid, 'SIGTERM'),
  });
});
process.exit(0);
