import { resolve } from 'node:path';

/** Where a server listens: on a port, or on a Unix socket. */
export type Address = TcpAddress | UnixAddress;

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

export interface UnixAddress {
  /** Of the socket file, absolute. */
  readonly path: string;
}

const unixScheme = 'unix:';

/** What every system has room for in the address of a Unix socket. Node would cut longer ones. */
const maxPathBytes = 103;

/** Reads `host:port`, where an IPv6 host is in brackets, or `unix:path`. Throws a `TypeError` for anything else. */
export function parseAddress(text: string): Address {
  return text.startsWith(unixScheme) ? unixAddress(text) : tcpAddress(text);
}

function tcpAddress(text: string): TcpAddress {
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(parts?.[3]);
  if (parts === null || port > 65_535)
    throw new TypeError(`address ${JSON.stringify(text)} is not of the form host:port or unix:path`);
  return { host: (parts[1] ?? parts[2]) as string, port };
}

function unixAddress(text: string): UnixAddress {
  // `unix:///run/state.sock` is what gRPC programs write.
  const given = text.slice(unixScheme.length).replace(/^\/\/(?=\/)/, '');
  if (given === '' || given.startsWith('//') || given.includes('\0'))
    throw new TypeError(`address ${JSON.stringify(text)} names no socket file`);
  const path = resolve(given);
  const bytes = Buffer.byteLength(path);
  if (bytes <= maxPathBytes) return { path };
  throw new TypeError(`the path of a Unix socket has at most ${maxPathBytes} bytes, and ${path} has ${bytes}`);
}

/** In the form that {@link parseAddress} reads. */
export function addressText(address: Address): string {
  if ('path' in address) return unixScheme + address.path;
  const { host, port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether only programs of this machine can reach it. */
export function isLocal(address: Address): boolean {
  return 'path' in address || /^(?:localhost|::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address.host);
}
