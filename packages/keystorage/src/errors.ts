import { CosiError, type ErrorCode } from '@cosi-ts/resource';

export type KeyStorageCode =
  | 'keystorage/not-initialized'
  | 'keystorage/already-initialized'
  | 'keystorage/slot-exists'
  | 'keystorage/slot-not-found'
  | 'keystorage/last-slot'
  | 'keystorage/version-mismatch'
  | 'keystorage/algorithm-mismatch'
  | 'keystorage/encryption-failure'
  | 'keystorage/decryption-failure'
  | 'keystorage/hmac-mismatch'
  | 'keystorage/key-malformed'
  | 'keystorage/key-revoked'
  | 'keystorage/key-expired'
  | 'keystorage/key-not-yet-valid'
  | 'keystorage/key-cannot-encrypt';

/** What went wrong with a key storage. Neither message nor cause holds key material. */
export class KeyStorageError extends CosiError {
  declare readonly code: KeyStorageCode & ErrorCode;

  constructor(code: KeyStorageCode, message: string, cause?: unknown) {
    super(code, message, { cause });
  }
}
