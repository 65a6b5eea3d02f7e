import { expect, it } from 'vitest';
import { parseRemoteLog, remoteLogName } from './remote-files.js';

it.each([
  ['gpu-1', '/srv/worker data'],
  ['fe80::1%eth0', '/'],
  ['höst', '/ä#?%/x'],
])('logs of other machines are found by their names: %s, %s', (host, data) => {
  const base = data === '/' ? '' : data;
  const name = remoteLogName(host, `${base}/logs`)('r1/build.2/1.log');
  expect(name).toMatch(/^file:\/\/[!-~]+$/);
  const log = `${base}/logs/r1/build.2/1.log`;
  expect(parseRemoteLog(name)).toEqual({ host, log, artifacts: `${base}/artifacts/r1` });
});

it.each(['', 'r1/build/1.log', '/abs', 'file:///no-host', 'file://h/%ff', 'http://x/y'])('%j is none', (name) => {
  expect(parseRemoteLog(name)).toBeUndefined();
});
