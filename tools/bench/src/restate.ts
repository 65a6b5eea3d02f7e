import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild, runChild, startChild } from './child-processes.js';

const source = join(import.meta.dirname, '..', 'peer', 'restate');

/** How long its server has to start. */
const startMs = 60_000;

/** How long an invocation may take: what fails it tries again for ever. */
const callMs = 120_000;

/** A server of Restate, and a service on Node that it calls. */
export interface Restate {
  /** Resolves when the invocation of a handler has ended. */
  call(handler: 'fanOut' | 'chain', input: object): Promise<void>;
  /** The most memory that server and service had together so far. */
  maxResidentBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Installs Restate from npm in a folder, and starts it there; or why that cannot be. */
export async function startRestate(folder: string): Promise<Restate | string> {
  const place = join(folder, 'restate');
  await cp(source, place, { recursive: true });
  try {
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
    await runChild('npm', args, { cwd: place });
  } catch (error) {
    return `it cannot be installed from npm: ${(error as Error).message.split('\n')[1] ?? error}`;
  }
  const [ingress, admin, fabric, own] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const data = join(place, 'data');
  await mkdir(data);
  const service = start(process.execPath, [join(place, 'service.mjs'), String(own)], place, {});
  const server = start(join(place, 'node_modules', '.bin', 'restate-server'), ['--base-dir', data], place, {
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_LOG_FILTER: 'warn',
    DO_NOT_TRACK: '1',
  });
  const close = async () => {
    await Promise.all([endChild(server), endChild(service)]);
  };
  const uri = `http://127.0.0.1:${own}`;
  try {
    await post(`http://127.0.0.1:${admin}/deployments`, { uri }, startMs);
  } catch (error) {
    await close();
    return `it does not start: ${(error as Error).message}`;
  }
  return {
    call: (handler, input) => post(`http://127.0.0.1:${ingress}/bench/${handler}`, input, 0),
    // The program that npm has put there may be a script that starts the server.
    maxResidentBytes: async () => {
      const each = await Promise.all([...(await withChildren(server)), service.pid as number].map(maxResidentBytes));
      return each.reduce((sum, bytes) => sum + bytes, 0);
    },
    close,
  };
}

function start(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): ChildProcess {
  return startChild(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'ignore', detached: true });
}

/** @param retryMs how long it is tried again while the answer is none or a failure */
async function post(url: string, body: object, retryMs: number): Promise<void> {
  for (const begin = performance.now(); ; await delay(200)) {
    const problem = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callMs),
    }).then(
      async (response) => {
        const text = await response.text();
        return response.ok ? undefined : `${response.status} ${text}`;
      },
      (error: unknown) => String(error),
    );
    if (problem === undefined) return;
    if (performance.now() - begin >= retryMs) throw new Error(`${url}: ${problem}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function withChildren({ pid }: ChildProcess): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return [pid as number, ...children.split(' ').filter(Boolean).map(Number)];
}

/** By /proc: NaN where there is none. */
async function maxResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}
