import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build } from 'vite';

const root = new URL('../../../..', import.meta.url).pathname;

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser, and an origin whose pages have the library as the global `cosi`. */
export class BrowserHost implements AsyncDisposable {
  readonly origin: string;
  readonly #browser: Browser;
  readonly #server: http.Server;

  private constructor(browser: Browser, server: http.Server) {
    this.#browser = browser;
    this.#server = server;
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @param executablePath of the browser */
  static async start(executablePath: string): Promise<BrowserHost> {
    const script = await bundle();
    const server = http.createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript
          ? script
          : '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new BrowserHost(await chromium.launch({ executablePath, args }), server);
  }

  /** Opens a page. What goes wrong in it is added to the faults. */
  async open(faults: string[]): Promise<Page> {
    const page = await this.#browser.newPage({ ignoreHTTPSErrors: true });
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(this.origin);
    await page.waitForFunction(() => 'cosi' in globalThis);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

/** The script of the page, for browsers: what imports something of Node does not build. */
async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    root,
    logLevel: 'error',
    resolve: {
      alias: [{ find: /^@cosi-ts\/([a-z-]+)$/, replacement: `${root}packages/$1/src/index.ts` }],
    },
    plugins: [
      {
        name: 'nothing-of-node',
        enforce: 'pre',
        resolveId(id) {
          if (id.startsWith('node:')) throw new Error(`${id} is not in browsers`);
        },
      },
    ],
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: new URL('browser-page.ts', import.meta.url).pathname, formats: ['es'], fileName: 'page' },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('the page was not built');
  return output.output[0].code;
}
