import { InvalidArgumentError } from './errors.js';

/** Counts the writes of a resource from 1; `undefined` before the first one. */
export type Version = bigint | undefined;

export const maxVersion = 2n ** 63n - 1n;

/** Decimal text, or `undefined`. */
export function formatVersion(version: Version): string {
  return version === undefined ? 'undefined' : version.toString();
}

/** Most versions are small. Making their numbers anew takes longer than to look them up, and takes memory. */
const smallVersions: ReadonlyMap<string, bigint> = new Map(
  Array.from({ length: 1000 }, (_, n) => [String(n), BigInt(n)] as const),
);

/** Reads what {@link formatVersion} writes. Anything but plain decimals in range is an `invalid-argument` error. */
export function parseVersion(text: string): Version {
  const known = smallVersions.get(text);
  if (known !== undefined) return known;
  if (text === 'undefined') return undefined;
  // Nineteen digits suffice, and a bound keeps a hostile text from becoming a huge integer.
  if (/^(0|[1-9][0-9]{0,18})$/.test(text)) {
    const version = BigInt(text);
    if (version <= maxVersion) return version;
  }
  throw new InvalidArgumentError(
    `version ${JSON.stringify(text.slice(0, 64))} is neither "undefined" nor a decimal integer from 0 to ${maxVersion}`,
  );
}

/** Gives the version back, or throws `invalid-argument` when it is out of range. */
export function checkVersion(version: Version): Version {
  if (version !== undefined && (typeof version !== 'bigint' || version < 0n || version > maxVersion)) {
    throw new InvalidArgumentError(`version ${String(version)} is not a bigint from 0 to ${maxVersion}`);
  }
  return version;
}
