import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WriterOrders } from './writer.js';

const writerPath = fileURLToPath(new URL('./writer.js', import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it wrote to its standard error. */
  readonly errors: string;
}

/** A writer that is at work, or has ended. */
export interface Writer {
  /** When it has opened the store, or ended without. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Exit>;
  kill(): void;
}

/**
 * Starts a writer.
 *
 * @param journal where it keeps its journal
 * @param under a program to run it under, with its arguments
 */
export function startWriter(orders: WriterOrders, journal: string, under: readonly string[] = []): Writer {
  const file = openSync(journal, 'w');
  const [command, ...args] = [...under, process.execPath, writerPath, JSON.stringify(orders)];
  const child: ChildProcess = spawn(command as string, args, { stdio: ['ignore', 'ignore', 'pipe', file, 'ipc'] });
  closeSync(file);
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, errors }));
  });
  const ready = new Promise<void>((resolve) => {
    child.once('message', () => resolve());
    ended.then(
      () => resolve(),
      () => resolve(),
    );
  });
  return { ready, ended, kill: () => child.kill('SIGKILL') };
}
