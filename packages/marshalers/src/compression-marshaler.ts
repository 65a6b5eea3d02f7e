import { InvalidArgumentError, pointerText } from '@cosi-ts/resource';
import type { Marshaler, RecordPlace } from '@cosi-ts/state-inmem';
import type { Compressor } from './compressor.js';
import { corruptRecord, reasonOf } from './corrupt-record.js';
import { chain, type MaybePromise } from './maybe-async.js';
import { zstd } from './zstd.js';

export interface CompressionOptions {
  /** Default: {@link zstd}. */
  readonly compressor?: Compressor | undefined;
  /** Shorter records are stored as they are. Default: 1024. */
  readonly minBytes?: number | undefined;
  /** No record may be longer when it is decompressed: longer ones are stored as they are. Default: 64 MiB. */
  readonly maxDecodedBytes?: number | undefined;
}

export const defaultCompression = Object.freeze({ minBytes: 1024, maxDecodedBytes: 64 * 1024 * 1024 });

/** The first byte of a compressed record. The compressor's id follows, then what it wrote. */
const marker = 0;

/**
 * Compresses the records of another marshaler when they are long enough and grow shorter by it. Reads compressed and
 * plain ones, so that it can be put around a marshaler that has written records already.
 *
 * A plain record that begins with the marker would be taken for a compressed one: it is compressed whatever its length.
 */
export function compressed(inner: Marshaler, options: CompressionOptions = {}): Marshaler {
  const compressor = options.compressor ?? zstd();
  const { minBytes, maxDecodedBytes } = resolveBounds(options);

  function shorter(plain: Uint8Array, packed: Uint8Array): Uint8Array {
    if (packed.length + 2 >= plain.length && isReadable(plain)) return plain;
    const record = new Uint8Array(packed.length + 2);
    record[0] = marker;
    record[1] = compressor.id;
    record.set(packed, 2);
    return record;
  }

  function plainOf(record: Uint8Array, place: RecordPlace): MaybePromise<Uint8Array> {
    if (record[0] !== marker) return record;
    if (record[1] !== compressor.id) {
      const id = record[1] === undefined ? 'none' : `0x${record[1].toString(16).padStart(2, '0')}`;
      throw corruptRecord(place, `names a compressor that is not known here: ${id}`);
    }
    const refused = (cause: unknown): never => {
      throw corruptRecord(place, `cannot be decompressed: ${reasonOf(cause)}`, cause);
    };
    try {
      const plain = compressor.decompress(record.subarray(2), maxDecodedBytes);
      return plain instanceof Promise ? plain.catch(refused) : plain;
    } catch (cause) {
      return refused(cause);
    }
  }

  return {
    ...(inner.anyPlace === true ? { anyPlace: true } : {}),
    marshal: (resource, place) =>
      chain(inner.marshal(resource, place), (plain) => {
        if (isReadable(plain) && (plain.length < minBytes || plain.length > maxDecodedBytes)) return plain;
        if (plain.length > maxDecodedBytes) throw tooLongToRead(plain, place, maxDecodedBytes);
        return chain(compressor.compress(plain), (packed) => shorter(plain, packed));
      }),
    unmarshal: (record, place) => chain(plainOf(record, place), (plain) => inner.unmarshal(plain, place)),
    glance: (record, place) => (record[0] === marker ? undefined : inner.glance?.(record, place)),
    isCurrent: (record, place) => chain(plainOf(record, place), (plain) => inner.isCurrent?.(plain, place) ?? true),
  };
}

/** Whether a plain record is read as what it is. */
function isReadable(plain: Uint8Array): boolean {
  return plain[0] !== marker;
}

/** Only marshalers of your own can write such records. */
function tooLongToRead(plain: Uint8Array, place: RecordPlace, maxDecodedBytes: number): InvalidArgumentError {
  const { namespace, type, id } = place;
  return new InvalidArgumentError(
    `the record of ${pointerText(place)} has ${plain.length} bytes, and could not be read again: no more than ${maxDecodedBytes} are allowed`,
    { subject: { namespace, type, id } },
  );
}

function resolveBounds(options: CompressionOptions): { readonly minBytes: number; readonly maxDecodedBytes: number } {
  const bounds = {
    minBytes: options.minBytes ?? defaultCompression.minBytes,
    maxDecodedBytes: options.maxDecodedBytes ?? defaultCompression.maxDecodedBytes,
  };
  for (const [field, value] of Object.entries(bounds)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${field} must be an integer from 0, not ${value}`);
  }
  return bounds;
}
