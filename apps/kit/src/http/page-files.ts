import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** The page loads and connects to nothing but this server, and no other page can frame it. */
const policyOf = (scripts: string) =>
  `default-src 'none'; script-src ${scripts}; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export interface PageFilesOptions {
  /** Whether the page's own scripts may compile WebAssembly, as what draws graphs does. Default: false. */
  readonly webAssembly?: boolean;
}

interface PageFile {
  readonly content: Buffer;
  readonly type: string;
  readonly tag: string;
  /** Its name changes with its content. */
  readonly isHashed: boolean;
}

/** The built page, read once: a few small files. */
export class PageFiles {
  readonly #files = new Map<string, PageFile>();
  readonly #policy: string;

  /** @param folder what the build made. Throws when it is not there. */
  constructor(folder: string, options: PageFilesOptions = {}) {
    this.#policy = policyOf(options.webAssembly === true ? "'self' 'wasm-unsafe-eval'" : "'self'");
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length).replaceAll('\\', '/');
      const content = readFileSync(path);
      const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
      const type = contentTypes[extname(name)] ?? 'application/octet-stream';
      this.#files.set(name, { content, type, tag, isHashed: name.startsWith('/assets/') });
    }
    if (!this.#files.has('/index.html')) throw new Error(`there is no index.html in ${folder}`);
  }

  /** Answers a request for one of the files. False: it is none. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const file = this.#files.get(path === '/' ? '/index.html' : path);
    if (file === undefined) return false;
    response.setHeader('etag', file.tag);
    response.setHeader('cache-control', file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.setHeader('content-security-policy', this.#policy);
    response.setHeader('referrer-policy', 'no-referrer');
    if (request.headers['if-none-match'] === file.tag) {
      response.writeHead(304).end();
      return true;
    }
    response.writeHead(200, { 'content-type': file.type, 'content-length': file.content.length });
    response.end(request.method === 'HEAD' ? undefined : file.content);
    return true;
  }
}
