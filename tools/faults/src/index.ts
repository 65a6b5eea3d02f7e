export type { Direction } from './conditions.js';
export { type FaultProxy, openFaultProxy } from './fault-proxy.js';
