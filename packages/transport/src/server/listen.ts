import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import net from 'node:net';
import { dirname } from 'node:path';
import { InUseError, InvalidArgumentError } from '@cosi-ts/resource';
import { type Address, addressText, type UnixAddress } from './address.js';

/**
 * How many connections may wait to be accepted: as many as systems allow by default. More are dropped without a word,
 * and their clients try again a second later.
 */
const backlog = 4096;

/**
 * Resolves when the server listens there. Rejects with `in-use` when something else does, and with Node's error when it
 * cannot listen for another reason. The socket file that a server which is gone has left behind is replaced.
 */
export async function listen(server: net.Server, address: Address): Promise<void> {
  try {
    await listening(server, address);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw 'path' in address ? explained(error, address) : error;
    if (!('path' in address)) throw inUse(address, 'another program listens there', 'port 0 takes a free one', error);
    const refused = (reason: string, cause: unknown) => inUse(address, reason, 'another file', cause);
    await replaceFile(address.path, (reason) => refused(reason, error));
    await listening(server, address).catch((second: unknown) => {
      throw codeOf(second) === 'EADDRINUSE' ? refused('another server has just taken it', second) : second;
    });
  }
}

function listening(server: net.Server, address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...address, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Removes the file if it is a socket on which nobody listens. */
async function replaceFile(path: string, refused: (reason: string) => InUseError): Promise<void> {
  const before = await lstat(path).catch(() => undefined);
  if (before === undefined) return;
  if (!before.isSocket()) throw refused('there is a file that is no socket');
  if (!(await isAbandoned(path))) throw refused('another server listens there');
  // Another server may have replaced it in the meantime: its file is another one.
  const { ino, dev } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
  if (ino === before.ino && dev === before.dev) unlinkSync(path);
}

function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    // Anything else than a refusal is a server that cannot answer now, or one of another user.
    socket.once('error', (error) => resolve(codeOf(error) === 'ECONNREFUSED' || codeOf(error) === 'ENOENT'));
  });
}

/** A missing folder looks like missing rights. */
function explained(error: unknown, address: UnixAddress): unknown {
  const folder = dirname(address.path);
  if (existsSync(folder)) return error;
  return new InvalidArgumentError(`cannot listen on ${addressText(address)}: there is no folder ${folder}`, {
    cause: error,
  });
}

function inUse(address: Address, reason: string, instead: string, cause: unknown): InUseError {
  return new InUseError(
    `cannot listen on ${addressText(address)}: ${reason}. End it, or choose another address (${instead})`,
    { cause },
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
