/** How this implementation names itself to peers, in the response header `server`. */
export const product = 'cosi-ts/0.1.0';

/** Whether a peer with that response header `server` is of this implementation. */
export function isOurs(server: string | readonly string[] | undefined): boolean {
  return typeof server === 'string' && server.startsWith('cosi-ts/');
}
