/** The same bytes as what they are, and no subclass whose views take longer to make and whose slices are views. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (Object.getPrototypeOf(bytes) === Uint8Array.prototype) return bytes;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
