import { CorruptError, UnsupportedError } from '@cosi-ts/resource';
import { unframed } from './checksum.js';
import { metaKey } from './keys.js';
import { type Entry, jsonEntry, parseJson } from './ledger.js';

/** The format that this package writes. It is raised when an older one would misread it. */
const formatVersion = 1;

export const formatKey = metaKey('format');

export function formatEntry(version = formatVersion): Entry {
  return jsonEntry(formatKey, { version });
}

/**
 * @param value what lies under {@link formatKey}
 * @throws `unsupported` for a format from the future, `corrupt` when it is missing or damaged
 */
export function checkFormat(value: Uint8Array | undefined, folder: string): void {
  const where = `the database in ${JSON.stringify(folder)}`;
  if (value === undefined) throw new CorruptError(`${where} is not a store, or has lost its format`);
  const version = parseJson(unframed(formatKey, value))?.version;
  if (!Number.isSafeInteger(version)) throw new CorruptError(`${where} has a damaged format`);
  if ((version as number) > formatVersion) {
    throw new UnsupportedError(
      `${where} has format ${version}, and this version of the package reads formats up to ${formatVersion}`,
    );
  }
}
