/** The largest message that is sent or accepted, unless another limit is set: 16 MiB. */
export const defaultMaxMessageBytes = 16 * 1024 * 1024;

/**
 * How much the server puts into one message when it could put less: a single larger event goes alone. Some 100 events of
 * common size. More at once saves the server little, and costs clients with many watches a third more: they put each
 * message together in memory of its own.
 */
export const batchBytes = 128 * 1024;

/** What Go peers accept by default. */
export const goMaxMessageBytes = 4 * 1024 * 1024;

/**
 * How much memory an HTTP/2 session may hold, in Node's unit of megabytes. The default of 10 is used up by a dozen
 * watches that are not read, and then every new call of the connection is refused.
 */
export const sessionMemoryMegabytes = 4096;

/**
 * How much a client lets a server send ahead of what was read, on one stream and on all of a connection. With HTTP/2's
 * own 64 KiB, lists and watches spend their time waiting for leave to go on. An unread watch can take up as much.
 */
export const streamWindowBytes = 512 * 1024;
export const sessionWindowBytes = 16 * 1024 * 1024;

/** Lengths of messages are 32-bit numbers on the wire. */
const largest = 2 ** 32 - 1;

/** Gives the limit back, or throws a `RangeError`. */
export function checkMaxMessageBytes(maxMessageBytes: number): number {
  if (Number.isInteger(maxMessageBytes) && maxMessageBytes > 0 && maxMessageBytes <= largest) return maxMessageBytes;
  throw new RangeError(`maxMessageBytes must be an integer from 1 to ${largest}, not ${maxMessageBytes}`);
}
