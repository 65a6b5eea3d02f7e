import { afterEach, describe, expect, it } from 'vitest';
import { parseCommandLine } from './cli.js';

let written = '';
const parse = (...args: string[]) => {
  written = '';
  const write = (text: string) => {
    written += text;
  };
  return parseCommandLine(args, { version: '1.2.3', dataFolder: '/data', page: '/page', write });
};

afterEach(() => {
  process.exitCode = 0;
});

describe('the command line', () => {
  it('has defaults for everything', () => {
    expect(parse()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      stateAddress: '127.0.0.1:4001',
      allowedHosts: [],
      manifests: [],
      prune: false,
      defaultHosts: true,
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
    const options = parse(
      ...['--port', '0', '--host', '0.0.0.0', '--allow-host', 'a.example', '--allow-host', 'b.example'],
      ...['--manifest', 'a.yaml', '--manifest', 'b.yaml', '--prune', '--no-default-hosts', '--seed', '7'],
      ...['--boot-ms', '100', '--shutdown-ms', '5-10', '--boot-failure-rate', '0.5', '--stops-per-hour', '2'],
      ...['--log-format', 'json', '--log-level', 'debug'],
    );
    expect(options).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      allowedHosts: ['a.example', 'b.example'],
      manifests: ['a.yaml', 'b.yaml'],
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

  it.each([
    [['--port', '80800'], '--port'],
    [['--port', ''], '--port'],
    [['--boot-ms', '9-5'], 'must be like 500 or 500-2000'],
    [['--boot-failure-rate', '2'], 'from 0 to 1'],
    [['--log-level', 'loud'], 'debug, info, warn, error'],
    [['--nonsense'], "unknown option '--nonsense'"],
    [['something'], 'too many arguments'],
  ])('says what is wrong with %j', (args, message) => {
    expect(parse(...args)).toBeUndefined();
    expect(written).toContain(message);
    expect(process.exitCode).toBe(2);
  });

  it('helps, and tells its version', () => {
    expect(parse('--help')).toBeUndefined();
    for (const option of ['--port', '--manifest', '--hypervisor-file', '1500-4000']) expect(written).toContain(option);
    expect(process.exitCode).toBe(0);
    expect(parse('--version')).toBeUndefined();
    expect(written).toBe('1.2.3\n');
  });
});
