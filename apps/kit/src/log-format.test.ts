import { pino } from 'pino';
import { expect, it } from 'vitest';
import { prettyLine } from './log-format.js';

function lineOf(write: (logger: pino.Logger) => void, withColor = false): string {
  const lines: string[] = [];
  write(pino({ base: null }, { write: (line: string) => void lines.push(prettyLine(line, withColor)) }));
  return lines.join('').replace(/\d\d:\d\d:\d\d/, 'hh:mm:ss');
}

it('is a short line with who, what and the facts', () => {
  const logger = (log: pino.Logger) =>
    log.child({ controller: 'VMController', resource: 'VMConfigs.vms.cosi.dev(vms/web-1)' });
  expect(lineOf((log) => logger(log).info({ host: 'host-1', cpus: 2 }, 'create machine'))).toBe(
    'hh:mm:ss info  VMController web-1 create machine host=host-1 cpus=2\n',
  );
});

it('adds the stack of an error', () => {
  const text = lineOf((log) => log.error({ err: new Error('no room') }, 'reconcile failed'));
  expect(text).toMatch(/^hh:mm:ss error reconcile failed\nError: no room\n {4}at /);
});

it('colours only when asked to', () => {
  expect(lineOf((log) => log.warn('careful'), true)).toContain('\u001b[33mwarn \u001b[0m');
  expect(lineOf((log) => log.warn('careful'))).not.toContain('\u001b');
});

it('leaves what is no record as it is', () => {
  expect(prettyLine('plain text\n', false)).toBe('plain text\n');
});
