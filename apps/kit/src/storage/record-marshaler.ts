import { compressed, encrypted, protobufMarshaler } from '@cosi-ts/marshalers';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { StartError } from '../start-error.js';
import type { DataFolder } from './data-folder.js';

/**
 * How records are written: protobuf messages, compressed from 1 KiB on, encrypted on request.
 *
 * @param masterKey encrypts them; undefined: they are not
 */
export function recordMarshaler(masterKey: Uint8Array | undefined, folder: DataFolder): Marshaler {
  const plain = compressed(protobufMarshaler({ types: folder.profile.types }));
  return masterKey === undefined ? withoutKey(plain, folder) : encrypted(plain, { keys: () => masterKey });
}

/** Says that keys are missing where encrypted records would be taken for damaged ones. */
function withoutKey(inner: Marshaler, { path, keys }: DataFolder): Marshaler {
  return {
    ...inner,
    unmarshal(record, place) {
      // An encrypted record begins with its format. In a plain one that would be a field number of 0, which there is not.
      if (record[0] === 1 || record[0] === 2) {
        throw new StartError(
          `the data in ${path} is encrypted, and its file ${keys} is missing: bring that back from a backup. ` +
            'Without it nobody can read the data',
        );
      }
      return inner.unmarshal(record, place);
    },
  };
}
