export { Host } from './host.js';
export { vmsNamespace } from './namespace.js';
export { NetworkConfig } from './network-config.js';
export { powerOf, problemOf, VMConfig } from './vm-config.js';
export { hostLabel, spreadLabel, VMPlacement } from './vm-placement.js';
export { type VMState, VMStatus } from './vm-status.js';
