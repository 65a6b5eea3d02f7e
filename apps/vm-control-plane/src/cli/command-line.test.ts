import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Surroundings } from '@cosi-ts/app-kit';
import { afterEach, describe, expect, it } from 'vitest';
import { parseCommandLine } from './command-line.js';

let written = '';
const surroundings: Surroundings = {
  version: '1.2.3',
  dataFolder: '/data',
  page: '/page',
  workingFolder: '/here',
  environment: { VM_CONTROL_PLANE_PASSPHRASE: 'secret' },
  write(text) {
    written += text;
  },
};
const parse = (...args: string[]) => {
  written = '';
  return parseCommandLine(args, surroundings);
};
const options = (...args: string[]) => {
  const task = parse(...args);
  return task?.name === 'start' ? task.options : undefined;
};

afterEach(() => {
  process.exitCode = 0;
});

describe('the command line', () => {
  it('has defaults for everything', () => {
    expect(options()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      stateAddress: '127.0.0.1:4001',
      allowedHosts: [],
      manifests: [],
      prune: false,
      defaultHosts: true,
      data: { folder: '/data', key: undefined },
      hypervisorFile: '/data/machines.json',
      network: '10.64.0.0/19',
      simulation: {
        boot: { minMs: 1500, maxMs: 4000 },
        shutdown: { minMs: 400, maxMs: 1200 },
        bootFailureRate: 0,
        stopsPerHour: 0,
      },
      seed: undefined,
      log: { level: 'info', format: 'auto' },
      page: '/page',
    });
  });

  it('reads what is given', () => {
    const given = options(
      ...['--port', '0', '--host', '0.0.0.0', '--allow-host', 'a.example', '--allow-host', 'b.example'],
      ...['--manifest', 'a.yaml', '--manifest', '/b.yaml', '--prune', '--no-default-hosts', '--seed', '7'],
      ...['--boot-ms', '100', '--shutdown-ms', '5-10', '--boot-failure-rate', '0.5', '--stops-per-hour', '2'],
      ...['--log-format', 'json', '--log-level', 'debug'],
    );
    expect(given).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      allowedHosts: ['a.example', 'b.example'],
      manifests: ['/here/a.yaml', '/b.yaml'],
      prune: true,
      defaultHosts: false,
      seed: 7,
      simulation: {
        boot: { minMs: 100, maxMs: 100 },
        shutdown: { minMs: 5, maxMs: 10 },
        bootFailureRate: 0.5,
        stopsPerHour: 2,
      },
      log: { level: 'debug', format: 'json' },
    });
  });

  it('takes paths from the folder that they were typed in, and knows the home folder', () => {
    expect(options('--data', 'x/../y')).toMatchObject({
      data: { folder: '/here/y' },
      hypervisorFile: '/here/y/machines.json',
    });
    expect(options('--data', '~/vms', '--encrypt=~/key.asc')).toMatchObject({
      data: { folder: join(homedir(), 'vms'), key: { file: join(homedir(), 'key.asc') } },
    });
    expect(options('--hypervisor-file', 'm.json')).toMatchObject({
      data: { folder: '/data' },
      hypervisorFile: '/here/m.json',
    });
  });

  it('keeps nothing with --data memory, unless the machines have a file', () => {
    expect(options('--data', 'memory')).toMatchObject({ data: undefined, hypervisorFile: undefined });
    expect(options('--data', 'memory', '--hypervisor-file', '/m.json')).toMatchObject({
      data: undefined,
      hypervisorFile: '/m.json',
    });
    expect(options('--data', './memory')).toMatchObject({ data: { folder: '/here/memory' } });
  });

  it('has a slot and a passphrase for a key', () => {
    expect(options('--encrypt', 'key.asc')?.data?.key).toEqual({
      file: '/here/key.asc',
      slot: 'default',
      passphrase: { file: undefined, text: 'secret' },
    });
    expect(options('--encrypt', 'key.asc', '--key-slot', 'ann', '--passphrase-file', 'p')?.data?.key).toEqual({
      file: '/here/key.asc',
      slot: 'ann',
      passphrase: { file: '/here/p', text: 'secret' },
    });
  });

  it('reads commands on the data', () => {
    const key = { file: '/here/key.asc', slot: 'default', passphrase: { file: undefined, text: 'secret' } };
    expect(parse('backup', 'copy')).toEqual({ name: 'backup', folder: '/data', into: '/here/copy' });
    expect(parse('verify', '--data', 'x')).toEqual({ name: 'verify', folder: '/here/x', key: undefined });
    expect(parse('verify', '--encrypt', 'key.asc')).toEqual({ name: 'verify', folder: '/data', key });
    expect(parse('repair', '--encrypt', 'key.asc', '--key-slot', 'ann', 'new')).toEqual({
      name: 'repair',
      folder: '/data',
      into: '/here/new',
      key: { ...key, slot: 'ann' },
    });
    expect(parse('keys', 'list', '--data', '/x')).toEqual({ name: 'keys list', folder: '/x' });
    expect(parse('keys', 'add', '--slot', 'bob', '--public-key', 'bob.asc', '--encrypt', 'key.asc')).toEqual({
      name: 'keys add',
      folder: '/data',
      slot: 'bob',
      publicKeyFile: '/here/bob.asc',
      key,
    });
    expect(parse('keys', 'delete', '--slot', 'bob', '--encrypt', 'key.asc')).toEqual({
      name: 'keys delete',
      folder: '/data',
      key: { ...key, slot: 'bob' },
    });
  });

  it.each([
    [['--port', '80800'], '--port'],
    [['--port', ''], '--port'],
    [['--boot-ms', '9-5'], 'must be like 500 or 500-2000'],
    [['--boot-failure-rate', '2'], 'from 0 to 1'],
    [['--log-level', 'loud'], 'debug, info, warn, error'],
    [['--nonsense'], "unknown option '--nonsense'"],
    [['something'], "there is no command 'something'"],
    [['--data', ''], 'must be a path'],
    [['--key-slot', 'ann'], '--key-slot says how the key of --encrypt is used'],
    [['--passphrase-file', 'p'], '--passphrase-file says how the key of --encrypt is used'],
    [['--encrypt', 'key.asc', '--key-slot', ''], 'a slot needs a name'],
    [['--data', 'memory', '--encrypt', 'key.asc'], 'kept in memory is not encrypted'],
    [['--data', 'x', 'verify'], 'options come after the command: verify --data'],
    [['verify', '--port', '80'], "unknown option '--port'"],
    [['backup'], "missing required argument 'folder'"],
    [['keys', 'add', '--slot', 'ann', '--encrypt', 'key.asc'], '--public-key <file>'],
    [['keys', 'add', '--slot', 'ann', '--public-key', 'ann.asc'], '--encrypt <key file>'],
    [['keys', 'delete', '--encrypt', 'key.asc'], '--slot <name>'],
    [['keys', 'nonsense'], "unknown command 'nonsense'"],
  ])('says what is wrong with %j', (args, message) => {
    expect(parse(...args)).toBeUndefined();
    expect(written).toContain(message);
    expect(process.exitCode).toBe(2);
  });

  it('helps, and tells its version', () => {
    expect(parse('--help')).toBeUndefined();
    for (const option of ['--port', '--manifest', '--hypervisor-file', '1500-4000', '--data', 'verify', 'keys'])
      expect(written).toContain(option);
    expect(process.exitCode).toBe(0);
    expect(parse('--version')).toBeUndefined();
    expect(written).toBe('1.2.3\n');
  });
});
