import { type AppOptions, defaultGraceMs } from '../app-options.js';
import { everMs } from './serve-flags.js';

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
    retention: { count: everMs, ageMs: everMs },
    log: { level: 'warn', format: 'auto' },
    page: undefined,
  };
}
