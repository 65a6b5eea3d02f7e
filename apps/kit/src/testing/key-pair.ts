import { generateKey } from 'openpgp';

/** A new OpenPGP key as armored text. */
export async function keyPair(
  passphrase?: string,
): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  return generateKey({
    userIDs: [{ name: 'somebody' }],
    format: 'armored',
    ...(passphrase === undefined ? {} : { passphrase }),
  });
}
