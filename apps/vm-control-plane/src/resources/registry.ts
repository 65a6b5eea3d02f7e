import { createTypeRegistry, type TypedKind, type TypeRegistry } from '@cosi-ts/resource';
import { Host } from './host.js';
import { NetworkConfig } from './network-config.js';
import { VMConfig } from './vm-config.js';
import { VMPlacement } from './vm-placement.js';
import { VMStatus } from './vm-status.js';

/** The types of this app: those that users write, then those that controllers write. */
export const vmTypes = [VMConfig, Host, VMStatus, VMPlacement, NetworkConfig] as const;

/** The kinds of this app, in the same order. */
export const vmKinds: readonly TypedKind<unknown>[] = vmTypes.map(({ kind }) => kind as TypedKind<unknown>);

/** The types that users write, and so manifests may hold. */
export const userTypes = [VMConfig, Host] as const;

/** The types of this app by name. */
export const vmRegistry: TypeRegistry = createTypeRegistry(vmTypes as never);
