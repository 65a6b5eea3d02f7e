import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { run } from './child.mjs';

const node = process.execPath;

describe('run', () => {
  it('gives the exit code and the last lines of both streams', async () => {
    const script = "for (let i = 0; i < 5; i++) console.log(i); process.stderr.write('end'); process.exitCode = 3;";
    const { exitCode, output } = await run(node, ['-e', script], { keptLines: 4 });
    expect(exitCode).toBe(3);
    expect(output).toHaveLength(4);
    expect(output).toContain('end');
    expect(output).toContain('4');
    expect(output).not.toContain('0');
  });

  it('rejects when there is no such command', async () => {
    await expect(run('no-such-command', [])).rejects.toThrow('ENOENT');
  });

  it('kills what takes too long, and tells it as a shell does', async () => {
    const { exitCode } = await run(node, ['-e', 'setInterval(() => {}, 1000)'], { timeoutMs: 50 });
    expect(exitCode).toBe(128 + 9);
  });
});

describe('stopOnSignals', () => {
  // A launcher whose child starts a child of its own; both ignore the signal, and the latter tells when it is up.
  const stubborn = "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 1000);";
  const parent = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(`${stubborn} console.log('up');`)}], { stdio: 'inherit' }); ${stubborn}`;
  const launcher = `
    import { run, stopOnSignals } from ${JSON.stringify(join(import.meta.dirname, 'child.mjs'))};
    stopOnSignals();
    await run(process.execPath, ['-e', ${JSON.stringify(parent)}], { show: true });
  `;

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends everything a child started on %s', async (signal, exitCode) => {
    const child = spawn(node, ['--input-type=module', '-e', launcher], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(createInterface(child.stdout), 'line');
    child.kill(signal);
    // The pipe closes only when the last process that can write to it has ended.
    expect(await once(child, 'close')).toEqual([exitCode, null]);
  });
});
