export { checkedSpec } from './checked-spec.js';
export { FieldError } from './field-error.js';
export { Host } from './host.js';
export { vmsNamespace } from './namespace.js';
export { NetworkConfig } from './network-config.js';
export { checkVMConfig, type Power, powerOf, powerStates, VMConfig } from './vm-config.js';
export { hostLabel, VMPlacement } from './vm-placement.js';
export { type VMState, VMStatus } from './vm-status.js';
