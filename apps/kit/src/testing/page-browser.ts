import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { TemporaryFolder } from './temporary-folder.js';

const executablePath = process.env.COSI_BROWSER ?? '/usr/bin/chromium';

// A browser that asks nobody anything by itself.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** For people to look at. */
const screenshots = fileURLToPath(new URL('../../../../reports/screenshots/', import.meta.url));

/** A page of an app that is open in a browser. */
export interface OpenedPage {
  readonly page: Page;
  /** What went wrong in the page: errors, and what it complained of on the console. */
  readonly faults: string[];
  /** The addresses that it asked. */
  readonly requests: string[];
}

/** How a page is looked at. */
export interface PageSight {
  /** In pixels. Default: 900. */
  readonly height?: number;
  /** Default: `light`. */
  readonly scheme?: 'light' | 'dark';
}

/** A browser for the tests of an app's page, and the page itself, built from its sources. */
export class PageBrowser implements AsyncDisposable {
  /** Where the built page is. */
  readonly folder: string;
  readonly #app: string;
  readonly #temporary: TemporaryFolder;
  readonly #browser: Browser;

  private constructor(app: string, temporary: TemporaryFolder, browser: Browser) {
    this.folder = temporary.path;
    this.#app = app;
    this.#temporary = temporary;
    this.#browser = browser;
  }

  /** Whether there is a browser on this machine. Says so once if there is none. */
  static isInstalled(): boolean {
    const isInstalled = existsSync(executablePath);
    if (!isInstalled) {
      console.warn(
        `skipped: the tests of the page, because there is no browser at ${executablePath} (Debian's package is chromium)`,
      );
    }
    return isInstalled;
  }

  /**
   * Builds the page of an app and starts a browser.
   * @param app what the screenshots' names begin with
   * @param configFile Vite's, for the page
   */
  static async start(app: string, configFile: URL): Promise<PageBrowser> {
    const temporary = await TemporaryFolder.make();
    try {
      const [{ build }, { chromium }] = await Promise.all([import('vite'), import('playwright-core')]);
      await build({
        configFile: fileURLToPath(configFile),
        logLevel: 'error',
        build: { outDir: temporary.path, emptyOutDir: true },
      });
      return new PageBrowser(app, temporary, await chromium.launch({ executablePath, args }));
    } catch (error) {
      await temporary[Symbol.asyncDispose]();
      throw error;
    }
  }

  async open(url: string, sight: PageSight = {}): Promise<OpenedPage> {
    const { height = 900, scheme = 'light' } = sight;
    const page = await this.#browser.newPage({ viewport: { width: 1440, height }, colorScheme: scheme });
    const faults: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    });
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    return { page, faults, requests };
  }

  /** Keeps how the page looks, for people. */
  async screenshot(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(screenshots, `${this.#app}-${name}.png`) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#temporary[Symbol.asyncDispose]();
  }
}
