import { type AppOptions, defaultGraceMs } from '../app-options.js';

/** An engine for one run: in memory, on free ports of this machine. */
export function localAppOptions(): AppOptions {
  return {
    host: '127.0.0.1',
    port: 0,
    stateAddress: '127.0.0.1:0',
    allowedHosts: [],
    data: undefined,
    slots: {},
    graceMs: defaultGraceMs,
    retention: { maxRuns: undefined, maxAgeMs: undefined },
    log: { level: 'warn', format: 'auto' },
    page: undefined,
  };
}
