/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`; an IPv6 host is in brackets. Throws a `TypeError` for anything else. */
export function parseAddress(text: string): Address {
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(parts?.[3]);
  if (parts === null || port > 65_535)
    throw new TypeError(`address ${JSON.stringify(text)} is not of the form host:port`);
  return { host: (parts[1] ?? parts[2]) as string, port };
}

export function addressText({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
