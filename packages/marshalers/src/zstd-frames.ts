/** One frame of Zstandard data, as its headers describe it (RFC 8878, 3.1.1). */
export interface ZstdFrame {
  readonly bytes: Uint8Array;
  /** How long the content is, where the header says so. */
  readonly contentBytes: number | undefined;
  readonly windowBytes: number;
  /** The low 32 bits of XXH64 of the content, where the frame ends with them. */
  readonly checksum: number | undefined;
}

const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50; // and the fifteen above it
const contentSizeBytes = [0, 2, 4, 8] as const;
const dictionaryIdBytes = [0, 1, 2, 4] as const;
const maxBlockBytes = 128 * 1024;

/**
 * Takes Zstandard data apart: each frame, skippable ones left out. Throws when anything is cut short, follows the last
 * frame, or needs a dictionary. Decoders differ in what they make of such data, so none of them is asked.
 */
export function zstdFrames(data: Uint8Array): readonly ZstdFrame[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const frames: ZstdFrame[] = [];
  let at = 0;
  while (at < data.length) {
    const magic = uint(view, at, 4);
    if (magic >= skippableMagic && magic <= skippableMagic + 15) {
      at += 8 + uint(view, at + 4, 4);
      if (at > data.length) throw new RangeError('the data is cut short');
      continue;
    }
    if (magic !== frameMagic) throw new RangeError(`no Zstandard frame begins at byte ${at}`);
    const frame = readFrame(data, view, at);
    frames.push(frame);
    at += frame.bytes.length;
  }
  return frames;
}

function readFrame(data: Uint8Array, view: DataView, start: number): ZstdFrame {
  const descriptor = uint(view, start + 4, 1);
  if ((descriptor & 0x08) !== 0) throw new RangeError('a reserved bit of a frame header is set');
  const singleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = (descriptor >> 6) as 0 | 1 | 2 | 3;
  let at = start + 5;
  let windowBytes = 0;
  if (!singleSegment) {
    const window = uint(view, at, 1);
    const base = 2 ** (10 + (window >> 3));
    windowBytes = base + (base / 8) * (window & 7);
    at += 1;
  }
  const dictionaryId = dictionaryIdBytes[(descriptor & 3) as 0 | 1 | 2 | 3];
  if (uint(view, at, dictionaryId) !== 0) throw new RangeError('the data needs a dictionary');
  at += dictionaryId;
  const sizeBytes = sizeFlag === 0 && singleSegment ? 1 : contentSizeBytes[sizeFlag];
  // Sizes of two bytes are counted from 256.
  const contentBytes = sizeBytes === 0 ? undefined : uint(view, at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  at = endOfBlocks(view, at + sizeBytes);
  const checksum = (descriptor & 0x04) === 0 ? undefined : uint(view, at, 4);
  if (checksum !== undefined) at += 4;
  return {
    bytes: data.subarray(start, at),
    contentBytes,
    windowBytes: singleSegment ? (contentBytes ?? 0) : windowBytes,
    checksum,
  };
}

function endOfBlocks(view: DataView, first: number): number {
  for (let at = first; ; ) {
    const header = uint(view, at, 3);
    const kind = (header >> 1) & 3;
    const size = header >> 3;
    if (kind === 3) throw new RangeError('a block has the reserved type');
    if (size > maxBlockBytes) throw new RangeError(`a block of ${size} bytes is longer than ${maxBlockBytes}`);
    // A run-length block holds one byte, however long its content is.
    at += 3 + (kind === 1 ? 1 : size);
    if (at > view.byteLength) throw new RangeError('the data is cut short');
    if ((header & 1) === 1) return at;
  }
}

function uint(view: DataView, at: number, length: number): number {
  if (at + length > view.byteLength) throw new RangeError('the data is cut short');
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + view.getUint8(at + i);
  return value;
}

/** The frame, which must be one without a checksum, with the checksum of its content. */
export function withChecksum(frame: Uint8Array, checksum: number): Uint8Array {
  const sealed = new Uint8Array(frame.length + 4);
  sealed.set(frame);
  sealed[4] = (sealed[4] ?? 0) | 0x04;
  new DataView(sealed.buffer).setUint32(frame.length, checksum, true);
  return sealed;
}
