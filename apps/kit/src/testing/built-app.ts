import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** An app and the packages of this workspace as they are in the source, in one file that Node runs as a process. */
export class BuiltApp implements AsyncDisposable {
  private constructor(
    readonly entry: string,
    private readonly folder: string,
  ) {}

  /** @param main its entry, from the top of the repository: `apps/vm-control-plane/src/main.ts` */
  static async build(main: string): Promise<BuiltApp> {
    const folder = await mkdtemp(join(tmpdir(), 'cosi-built-app-'));
    await build({
      configFile: false,
      root,
      logLevel: 'error',
      resolve: {
        // What Node takes of a package, and not what is there for bundlers.
        conditions: ['node'],
        mainFields: [],
        alias: [
          { find: '@cosi-ts/app-kit', replacement: `${root}apps/kit/src/index.ts` },
          { find: /^@cosi-ts\/([a-z-]+)$/, replacement: `${root}packages/$1/src/index.ts` },
          { find: /^@cosi-ts\/([a-z-]+)\/([a-z-]+)$/, replacement: `${root}packages/$1/src/$2.ts` },
        ],
      },
      plugins: [dependenciesInPlace()],
      ssr: { noExternal: true, resolve: { conditions: ['node'], mainFields: [] } },
      build: {
        ssr: join(root, main),
        outDir: join(folder, 'dist'),
        target: 'node20',
        minify: false,
        rolldownOptions: { output: { entryFileNames: 'main.mjs' } },
      },
    });
    return new BuiltApp(join(folder, 'dist', 'main.mjs'), folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Leaves what is installed where it is: the built file, which lies elsewhere, names it by its whole path. */
function dependenciesInPlace(): Plugin {
  return {
    name: 'dependencies-in-place',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (importer === undefined || /^(\.|node:|@cosi-ts\/)/.test(source) || isAbsolute(source)) return null;
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      if (resolved === null || !isAbsolute(resolved.id)) return null;
      return { id: pathToFileURL(resolved.id).href, external: true };
    },
  };
}
