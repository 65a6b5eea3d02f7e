/** The calls of the service. */
export type Rpc = 'get' | 'list' | 'create' | 'update' | 'destroy' | 'teardown' | 'teardownAndDestroy' | 'watch';

/** Calls that share a column of the table of status codes. */
export type RpcFamily = 'read' | 'create' | 'update' | 'destroy' | 'watch';

const families: Readonly<Record<Rpc, RpcFamily>> = {
  get: 'read',
  list: 'read',
  create: 'create',
  update: 'update',
  destroy: 'destroy',
  teardown: 'destroy',
  teardownAndDestroy: 'destroy',
  watch: 'watch',
};

export function familyOf(rpc: Rpc): RpcFamily {
  return families[rpc];
}

/** Whether the call is to change something. */
export function isWrite(rpc: Rpc): boolean {
  const family = familyOf(rpc);
  return family !== 'read' && family !== 'watch';
}
