import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@cosi-ts/state';
import { RecordingLogger } from '@cosi-ts/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpServer } from './http-server.js';
import { PageFiles, type PageFilesOptions } from './page-files.js';

function serve(folder: string, options?: PageFilesOptions): Promise<HttpServer> {
  const page = new PageFiles(folder, options);
  return HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    routes: [],
    fallback: (request, response, path) => page.serve(request, response, path),
    allowedHosts: [],
    logger: new RecordingLogger(),
    clock: systemClock,
  });
}

describe('the files of the page', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'page-files-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    await writeFile(join(folder, 'assets', 'index-abc.js'), 'export {};');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are served with their types, for as long as they are good, and load from nowhere else', async () => {
    await using server = await serve(folder);
    const index = await fetch(`${server.url}/`);
    expect(await index.text()).toContain('<title>page</title>');
    expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(index.headers.get('cache-control')).toBe('no-cache');
    expect(index.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(index.headers.get('x-content-type-options')).toBe('nosniff');
    const again = await fetch(`${server.url}/`, { headers: { 'if-none-match': index.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);

    const script = await fetch(`${server.url}/assets/index-abc.js`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect((await fetch(`${server.url}/index.html`, { method: 'HEAD' })).headers.get('content-length')).toBe('34');
  });

  it('are all that can be got', async () => {
    await using server = await serve(folder);
    for (const path of ['/../package.json', '/%2e%2e/package.json', '/assets/', '/assets/none.js', '/index.html%00']) {
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 404]);
    }
    expect((await fetch(`${server.url}/index.html`, { method: 'POST' })).status).toBe(404);
  });

  it('may compile WebAssembly only where that was said', async () => {
    const policyOf = async (webAssembly: boolean) => {
      await using server = await serve(folder, { webAssembly });
      return (await fetch(server.url)).headers.get('content-security-policy');
    };
    expect(await policyOf(false)).toContain("script-src 'self';");
    expect(await policyOf(true)).toContain("script-src 'self' 'wasm-unsafe-eval';");
  });

  it('must hold a page', () => {
    expect(() => new PageFiles(join(folder, 'assets'))).toThrow('there is no index.html');
  });
});
