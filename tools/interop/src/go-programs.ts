import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where Go is when it is not on the path. */
const places = ['go', '/usr/local/go/bin/go'];

/** The folder of the Go module; the same from the sources and from what is built of them. */
const goModule = join(import.meta.dirname, '../peer');

/** The Go implementation as programs. */
export interface GoPrograms {
  /** Serves, calls, watches and runs controllers: see `actor`. */
  readonly peer: string;
  /** Its conformance suites, as a program of Go's testing package. */
  readonly suites: string;
}

/** The command that runs Go here, or undefined. */
export async function findGo(candidates: readonly string[] = places): Promise<string | undefined> {
  for (const go of candidates) {
    try {
      await run(go, ['version']);
      return go;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** Builds the peer in a folder. Rejects with what the compiler said. */
export async function buildPeer(go: string, folder: string): Promise<string> {
  const peer = join(folder, 'peer');
  await run(go, ['build', '-o', peer, '.'], { cwd: goModule });
  return peer;
}

/** Builds the programs in a folder. Rejects with what the compiler said. */
export async function buildGoPrograms(go: string, folder: string): Promise<GoPrograms> {
  const suites = join(folder, 'suites');
  // One after the other: the second finds what the first has compiled.
  const peer = await buildPeer(go, folder);
  await run(go, ['test', '-c', '-o', suites, './suites'], { cwd: goModule });
  return { peer, suites };
}

/** The Go implementation with its version, as the module asks for it. */
export async function goModuleVersion(): Promise<string> {
  const text = await readFile(join(goModule, 'go.mod'), 'utf8');
  const [, version] = /^\s*(?:require )?(github\.com\/cosi-project\/runtime v\S+)/m.exec(text) ?? [];
  if (version === undefined) throw new TypeError('go.mod asks for no version of the Go implementation');
  return version;
}
