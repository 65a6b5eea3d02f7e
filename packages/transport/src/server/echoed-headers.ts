/** What the RPC library repeats in the text of a status when it cannot make sense of it. */
const echoed = [
  'grpc-timeout',
  'connect-timeout-ms',
  'grpc-encoding',
  'content-encoding',
  'connect-content-encoding',
] as const;

/** Longer than any value of these that means something. */
const maxLength = 64;

/** Shortens the headers that would make the text of a status too long: callers choose them. */
export function shortenEchoed(headers: Headers): void {
  for (const name of echoed) {
    const value = headers.get(name);
    if (value !== null && value.length > maxLength) headers.set(name, `${value.slice(0, maxLength)}...`);
  }
}
