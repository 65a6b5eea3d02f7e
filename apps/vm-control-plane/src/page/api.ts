/** An answer of the API that says no. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly field: string | undefined,
    readonly hint: string | undefined,
  ) {
    super(message);
  }
}

/** Asks the API. Rejects with an {@link ApiError}. */
async function call(method: string, path: string, body?: unknown): Promise<void> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError('The control plane does not answer.', undefined, undefined);
  }
  if (response.ok) return;
  const { error } = (await response.json().catch(() => ({}))) as {
    error?: { message?: string; field?: string; hint?: string };
  };
  throw new ApiError(error?.message ?? `The control plane answered ${response.status}.`, error?.field, error?.hint);
}

const vm = (id: string) => `vms/${encodeURIComponent(id)}`;
const host = (id: string) => `hosts/${encodeURIComponent(id)}`;
const machine = (id: string) => `hypervisor/machines/${encodeURIComponent(id)}`;

export const createVM = (fields: Record<string, unknown>) => call('POST', 'vms', fields);
export const changeVM = (id: string, fields: Record<string, unknown>) => call('PATCH', vm(id), fields);
export const deleteVM = (id: string) => call('DELETE', vm(id));
export const killMachine = (id: string) => call('POST', `${machine(id)}/kill`);
export const removeMachine = (id: string) => call('DELETE', machine(id));
export const createHost = (fields: Record<string, unknown>) => call('POST', 'hosts', fields);
export const changeHost = (id: string, fields: Record<string, unknown>) => call('PATCH', host(id), fields);
export const deleteHost = (id: string) => call('DELETE', host(id));
