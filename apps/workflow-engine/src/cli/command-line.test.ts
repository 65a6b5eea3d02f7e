import type { Surroundings } from '@cosi-ts/app-kit';
import { afterEach, describe, expect, it } from 'vitest';
import { parseCommandLine } from './command-line.js';

let written = '';

afterEach(() => {
  written = '';
  process.exitCode = 0;
});

const surroundings: Surroundings = {
  version: '1.2.3',
  dataFolder: '/data',
  page: undefined,
  workingFolder: '/here',
  environment: { WORKFLOW_PASSPHRASE: 'secret' },
  write: (text) => {
    written += text;
  },
};

function parse(...args: string[]) {
  written = '';
  return parseCommandLine(args, surroundings);
}

function options(...args: string[]) {
  const task = parse('serve', ...args);
  return task?.name === 'serve' ? task.options : undefined;
}

describe('the command line', () => {
  it('says what is wrong with the variable for the server', () => {
    written = '';
    const environment = { WORKFLOW_SERVER: 'nonsense' };
    expect(parseCommandLine(['get', 'runs'], { ...surroundings, environment })).toBeUndefined();
    expect(written).toContain('WORKFLOW_SERVER nonsense: it must be like http://127.0.0.1:8090');
  });

  it('takes files along in a backup when that is asked for', () => {
    expect(parse('backup', '/copy')).toMatchObject({ name: 'backup', into: '/copy' });
    expect(parse('backup', '/copy', '--with-files')).toMatchObject({ withFiles: true });
    parse('backup', '--help');
    expect(written).toContain('are in it only with --with-files');
  });

  it('reads which plugins there are', () => {
    expect(parse('serve')).toMatchObject({ plugins: [] });
    expect(parse('serve', '--plugin', 'a.mjs', '--plugin', '/b.mjs')).toMatchObject({
      plugins: ['/here/a.mjs', '/b.mjs'],
    });
    expect(parse('worker', '--serves', 'a=b', '--plugin', 'a.mjs')).toMatchObject({ plugins: ['/here/a.mjs'] });
    expect(parse('run', 'x.yaml', '--plugin', 'a.mjs')).toBeUndefined();
    expect(written).toContain('--plugin goes with --local');
  });

  it('has defaults for the engine', () => {
    expect(options()).toEqual({
      host: '127.0.0.1',
      port: 8090,
      stateAddress: '127.0.0.1:4002',
      allowedHosts: [],
      data: { folder: '/data', key: undefined },
      slots: {},
      graceMs: 10_000,
      retention: { count: 100, ageMs: 7 * 86_400_000 },
      log: { level: 'info', format: 'auto' },
      page: undefined,
    });
  });

  it('reads what is said about the engine', () => {
    expect(
      options(
        ...['--port', '0', '--data', 'memory', '--slots', 'run=4,http=64', '--slots', 'function=1000'],
        ...['--grace', '1m30s', '--keep-runs', 'all', '--keep-for', 'ever'],
      ),
    ).toMatchObject({
      port: 0,
      data: undefined,
      slots: { run: 4, http: 64, function: 1000 },
      graceMs: 90_000,
      retention: { count: Number.POSITIVE_INFINITY, ageMs: 100 * 365 * 86_400_000 },
    });
    expect(options('--encrypt', 'k.asc', '--keep-runs', '0', '--keep-for', '12h')).toMatchObject({
      data: { key: { file: '/here/k.asc', passphrase: { text: 'secret' } } },
      retention: { count: 0, ageMs: 12 * 3_600_000 },
    });
  });

  it('knows where the engine is', () => {
    expect(parse('get', 'runs')).toMatchObject({ name: 'client', command: 'get', server: 'http://127.0.0.1:8090' });
    expect(parse('secret', 'set', 'a', 'b', '--server', 'http://x:1')).toMatchObject({
      command: 'secret set',
      server: 'http://x:1',
    });
    const elsewhere = { ...surroundings, environment: { WORKFLOW_SERVER: 'https://there' } };
    expect(parseCommandLine(['cancel', 'r'], elsewhere)).toMatchObject({ server: 'https://there' });
  });

  it('reads what is said about a worker', () => {
    expect(parse('worker', '--name', 'w1', '--serves', 'os=linux,gpu=yes', '--state', 'far:4002')).toEqual({
      name: 'worker',
      plugins: [],
      options: {
        name: 'w1',
        stateUrl: 'http://far:4002',
        serves: { os: 'linux', gpu: 'yes' },
        slots: 4,
        leaseMs: 15_000,
        graceMs: 10_000,
        folder: '/worker-data/w1',
        log: { level: 'info', format: 'auto' },
      },
    });
  });

  it('reads commands on the data', () => {
    expect(parse('backup', 'copy')).toEqual({ name: 'backup', folder: '/data', into: '/here/copy' });
    expect(parse('verify')).toEqual({ name: 'verify', folder: '/data', key: undefined });
  });

  it.each([
    [['serve', '--slots', 'run'], 'like run=4,http=64'],
    [['serve', '--slots', 'run=0'], 'like run=4,http=64'],
    [['serve', '--grace', 'soon'], 'like 10s, 1h30m'],
    [['serve', '--keep-runs', '-1'], 'from 0'],
    [['serve', '--keep-for', 'x'], 'like 10s'],
    [['serve', '--port', '80800'], '--port'],
    [['serve', '--data', 'memory', '--encrypt', 'k'], 'kept in memory is not encrypted'],
    [['worker'], '--serves <label=value,…>'],
    [['worker', '--serves', 'linux'], 'like os=linux,gpu=yes'],
    [['worker', '--serves', 'a=b', '--name', 'a/b'], 'it must be up to 63'],
    [['sevre'], "unknown command 'sevre'"],
    [['run'], "missing required argument 'file|workflow'"],
    [['run', 'a.yaml', '--local', '--no-wait'], 'leave out --no-wait'],
    [['get', 'nothing'], 'Allowed choices are runs, run, workflows'],
    [['get', 'runs', '-o', 'xml'], 'table, json, yaml'],
    [['get', 'runs', '--server', 'localhost'], 'it must be like http://127.0.0.1:8090'],
    [['logs'], "missing required argument 'run'"],
    [['logs', 'r', '--tail', 'x'], 'a number from 0'],
    [['graph', 'f', '-o', 'png'], 'dot, text, json'],
    [['validate'], "missing required argument 'file'"],
    [['schedule', 'set', 'n', '--workflow', 'w'], '--cron'],
    [['schedule', 'set', 'n', '--workflow', 'w', '--cron', 'x', '--overlap', 'queue'], 'allow, skip, replace'],
    [['delete', 'thing', 'x'], 'run, workflow, schedule, secret'],
    [['secret', 'nonsense'], "unknown command 'nonsense'"],
  ])('says what is wrong with %j', (args, message) => {
    expect(parse(...args)).toBeUndefined();
    expect(written).toContain(message);
    expect(process.exitCode).toBe(2);
  });

  it('helps', () => {
    for (const args of [[], ['--help']]) {
      expect(parse(...args)).toBeUndefined();
      for (const text of ['serve', 'run', 'logs', 'approve', 'validate', 'secret', 'backup', '--local', 'Exit codes'])
        expect(written).toContain(text);
    }
    expect(process.exitCode).toBe(0);
    parse('serve', '--help');
    for (const text of ['8090', '127.0.0.1:4002', '--slots', 'default: 10s', '--keep-runs', 'default: 7d', '--encrypt'])
      expect(written).toContain(text);
    parse('run', '--help');
    for (const text of ['--input <name=value>', '--no-wait', '--local', 'WORKFLOW_SERVER'])
      expect(written).toContain(text);
    parse('--version');
    expect(written).toBe('1.2.3\n');
  });
});
