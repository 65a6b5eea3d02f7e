import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of the workspace; the same from the sources and from what is built of them. */
const root = join(import.meta.dirname, '../../..');

/** Where the Go code of the .proto files lies, below the root. */
export const goCode = 'tools/interop/peer/specs/shop.pb.go';

/** Generates the Go code of the .proto files below a folder. Needs Go. */
export async function generateGoCode(folder: string = root): Promise<void> {
  const buf = join(root, 'node_modules/.bin/buf');
  await run(buf, ['generate', '--template', 'tools/interop/peer/go.gen.yaml', '--output', folder], { cwd: root });
}

export const goCodeIn = (folder: string = root): string => join(folder, goCode);
