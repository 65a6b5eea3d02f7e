/** How this implementation names itself to peers, in the response header `server`. */
export const product = 'cosi-ts/0.1.0';
