import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const effects: Record<string, string> = {
  'the time': 'export const now = Date.now();',
  'a clock handed on': 'export const clock = { now: Date.now };',
  'a date of now': 'export const date = new Date();',
  'the monotonic time': 'export const started = performance.now();',
  'a timer': 'export const timer = setTimeout(() => {}, 1);',
  'an interval': 'export const timer = setInterval(() => {}, 1);',
  'a global timer': 'export const timer = globalThis.setTimeout(() => {}, 1);',
  'a random number': 'export const drawn = Math.random();',
  'random values': 'export const drawn = crypto.getRandomValues(new Uint8Array(1));',
  'a random id': 'export const drawn = crypto.randomUUID();',
  'random bytes': 'export const drawn = randomSource.randomBytes(4);',
};
const hosts: Record<string, string> = {
  'a Buffer': "export const bytes = Buffer.from('x');",
  'the process': 'export const home = process.env.HOME;',
};
const harmless: Record<string, string> = {
  'a date of a known time': 'export const date = new Date(0);',
  'a clock of its own': 'export const wake = (clock: { setTimeout(): void }) => clock.setTimeout();',
  arithmetic: 'export const largest = Math.max(1, 2);',
};
const snippets = { ...effects, ...hosts, ...harmless };

/** The one module that holds the real clock and the real random source. */
const defaults = 'packages/resource/src/clock.ts';

const root = join(import.meta.dirname, '..', '..');
const fileOf = (folder: string, title: string) => `${folder}/${title.replaceAll(' ', '-')}.ts`;
const folders = ['packages/state/src', 'packages/transport/src', 'apps/vms/src'];
let workspace: string;
/** What is wrong with each file, in words. */
let findings: Map<string, string>;

beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'cosi-lint-rules-'));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  };
  const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  write('biome.json', JSON.stringify({ ...config, vcs: { enabled: false } }));
  for (const { path } of config.plugins) cpSync(join(root, path), join(workspace, path), { recursive: true });
  for (const folder of folders) {
    for (const [title, code] of Object.entries(snippets)) write(fileOf(folder, title), `${code}\n`);
  }
  for (const [title, code] of Object.entries(effects)) {
    write(fileOf('packages/state/src', title).replace(/ts$/, 'test.ts'), `${code}\n`);
  }
  write(defaults, `${effects['the time']}\n${effects['a timer']}\n${effects['a random number']}\n`);

  const { stdout } = spawnSync(
    join(root, 'node_modules/.bin/biome'),
    ['lint', '--reporter=rdjson', '--max-diagnostics=none', 'packages', 'apps'],
    { cwd: workspace, encoding: 'utf8' },
  );
  findings = new Map();
  for (const { location, message, severity } of JSON.parse(stdout).diagnostics) {
    if (severity === 'ERROR') findings.set(location.path, message);
  }
});

afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe('lint rules', () => {
  it.each(Object.keys(effects))('keep %s out of every package', (title) => {
    expect(findings.get(fileOf('packages/state/src', title))).toMatch(/Take a (Clock|Random)|Do not use the global/);
    expect(findings.get(fileOf('packages/transport/src', title))).toMatch(
      /Take a (Clock|Random)|Do not use the global/,
    );
  });

  it.each(Object.keys(hosts))('keep %s out of the packages that run everywhere', (title) => {
    expect(findings.get(fileOf('packages/state/src', title))).toMatch(/browsers and workers/);
    expect(findings.get(fileOf('packages/transport/src', title))).toBeUndefined();
  });

  it('leave tests, apps, the defaults and harmless code alone', () => {
    const files = [...findings.keys()];
    expect(files.filter((file) => file.endsWith('.test.ts') || file.startsWith('apps/') || file === defaults)).toEqual(
      [],
    );
    for (const title of Object.keys(harmless)) expect(files).not.toContain(fileOf('packages/state/src', title));
  });
});
