// Takes docs/page.png: the page with VMs in every state. Needs the built app and Debian's chromium.
//   node scripts/screenshot.mjs [light|dark] [FILE] [WIDTHxHEIGHT] [detail] [dialog] [runtime]
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wrapState } from '@cosi-ts/state';
import { connectState } from '@cosi-ts/transport';
import { chromium } from 'playwright-core';

const [scheme = 'light', file = 'page.png', size = '1440x960'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
const app = new URL('..', import.meta.url).pathname;
const folder = await mkdtemp(join(tmpdir(), 'screenshot-'));
const machine = (id, host, ip) => ({
  id,
  host,
  cpus: 2,
  memoryMib: 2048,
  image: 'debian-12',
  mac: '52:54:00:00:1f:00',
  ip,
  guestIp: ip,
  state: 'running',
  boots: 1,
  failedBoots: 0,
  error: '',
  leaving: false,
});
await mkdir(folder, { recursive: true });
await writeFile(
  join(folder, 'machines.json'),
  JSON.stringify({ format: 1, machines: [machine('legacy-db', 'host-2', '10.64.31.1')] }),
);

const url = 'http://127.0.0.1:18081';
const server = spawn(
  process.execPath,
  [
    join(app, 'dist/main.js'),
    '--port',
    '18081',
    '--state-address',
    '127.0.0.1:14011',
    '--data',
    'memory',
    '--hypervisor-file',
    join(folder, 'machines.json'),
    '--boot-ms',
    '2500-3500',
    '--shutdown-ms',
    '20000',
    '--manifest',
    join(app, 'examples/fleet.yaml'),
  ],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);
const state = wrapState(connectState('http://127.0.0.1:14011'));
const call = (method, path, body) =>
  fetch(`${url}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
const vm = (id) => ({ namespace: 'vms', type: 'VMConfigs.vms.cosi.dev', id });
const reaches = async (id, wanted) => {
  for (;;) {
    const body = await (await call('GET', `/vms/${id}`)).json();
    if (body.state === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
let browser;
try {
  for (let i = 0; i < 100; i++) {
    if (
      await call('GET', '/healthz').then(
        (response) => response.ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  browser = await chromium.launch({
    executablePath: process.env.COSI_BROWSER ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: 1.5 });
  await page.goto(url);
  await reaches('web-3', 'running');
  await call('POST', '/vms', { id: 'off', image: 'fedora-42' });
  await call('POST', '/vms', { id: 'let-go', power: 'stopped' });
  await reaches('off', 'running');
  await call('PATCH', '/vms/off', { power: 'stopped' });
  await call('POST', '/vms', { id: 'analytics', cpus: 64, memoryMiB: 131072, labels: { tier: 'batch' } });
  await call('POST', '/vms', { id: 'test-image', image: 'broken-image' });
  await call('POST', '/hypervisor/machines/web-2/kill');
  await reaches('test-image', 'failed');
  await state.addFinalizer({ ...vm('let-go'), type: 'NetworkConfigs.vms.cosi.dev' }, 'backup-agent');
  await call('DELETE', '/vms/let-go');
  await reaches('let-go', 'releasing');
  // Its shutdown ends while the others go on.
  await reaches('off', 'stopped');
  await call('DELETE', '/vms/cache-2');
  await reaches('cache-2', 'stopping');
  await call('POST', '/vms', { id: 'build-1', cpus: 4, memoryMiB: 8192, labels: { tier: 'ci' } });
  await call('POST', '/vms', { id: 'build-2', cpus: 4, memoryMiB: 8192, labels: { tier: 'ci' } });
  await reaches('build-2', 'booting');
  await page.waitForTimeout(700);
  if (process.argv.includes('detail'))
    await page.getByRole('button', { name: 'analytics', exact: true }).first().click();
  if (process.argv.includes('dialog')) await page.getByRole('button', { name: 'New VM' }).click();
  if (process.argv.includes('runtime')) {
    await page.getByRole('link', { name: 'Runtime' }).click();
    await page.getByRole('img').waitFor();
  }
  await page.waitForTimeout(300);
  await mkdir(join(app, 'docs'), { recursive: true });
  await page.screenshot({ path: file.startsWith('/') ? file : join(app, 'docs', file) });
} finally {
  await browser?.close();
  await state.close();
  server.kill('SIGINT');
  await new Promise((resolve) => server.once('exit', resolve));
  await rm(folder, { recursive: true, force: true });
}
