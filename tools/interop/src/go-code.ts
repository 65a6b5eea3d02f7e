import { execFile } from 'node:child_process';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of the workspace; the same from the sources and from what is built of them. */
const root = join(import.meta.dirname, '../../..');

/** Where the Go code of the .proto files lies, below the root. */
export const goCode = 'tools/interop/peer/specs/shop.pb.go';

/** Generates the Go code of the .proto files below a folder. */
export async function generateGoCode(go: string, folder: string = root): Promise<void> {
  const buf = join(root, 'node_modules/.bin/buf');
  // The template names its plugin by how Go runs it.
  const PATH = [...(isAbsolute(go) ? [dirname(go)] : []), process.env.PATH].join(delimiter);
  const args = ['generate', '--template', 'tools/interop/peer/go.gen.yaml', '--output', folder];
  await run(buf, args, { cwd: root, env: { ...process.env, PATH } });
}

export const goCodeIn = (folder: string = root): string => join(folder, goCode);
