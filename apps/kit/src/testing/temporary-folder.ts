import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is gone after the test. */
export class TemporaryFolder implements AsyncDisposable {
  private constructor(readonly path: string) {}

  static async make(): Promise<TemporaryFolder> {
    return new TemporaryFolder(await mkdtemp(join(tmpdir(), 'cosi-app-')));
  }

  /** The path of a file in it. */
  file(name: string): string {
    return join(this.path, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
