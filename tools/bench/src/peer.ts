import { join } from 'node:path';
import { runChild } from './child-processes.js';

const source = join(import.meta.dirname, '..', 'peer');

/** Where Go is when it is not on the path. */
const places = ['go', '/usr/local/go/bin/go'];

/** The Go implementation. */
export interface Peer {
  readonly program: string;
  /** Runs one measurement, and gives what it printed. */
  run<T>(...args: readonly string[]): Promise<T>;
}

/** The Go implementation, built in a folder; or why it cannot be had. */
export async function buildPeer(folder: string): Promise<Peer | string> {
  const program = join(folder, 'peer');
  for (const go of places) {
    try {
      await runChild(go, ['build', '-o', program, '.'], { cwd: source });
      return {
        program,
        run: async <T>(...args: readonly string[]) => JSON.parse(await runChild(program, args)) as T,
      };
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      if (code !== 'ENOENT') return `it cannot be built: ${message.split('\n')[1] ?? message}`;
    }
  }
  return 'there is no Go here';
}
