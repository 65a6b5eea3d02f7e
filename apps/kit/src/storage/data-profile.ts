import type { TypeRegistry } from '@cosi-ts/resource';

/** What an app says about its data. */
export interface DataProfile {
  /** The name of the app, which keys that it makes bear: `VM control plane`. */
  readonly app: string;
  /** The environment variable of passphrases. */
  readonly passphraseVariable: string;
  /** The types of its resources. Those of others can be kept too, in longer records. */
  readonly types: TypeRegistry;
  /** The names of the app's own files in a data folder. Backups hold them, as far as they are there. */
  readonly files: readonly string[];
}
