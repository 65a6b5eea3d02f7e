import { createTypeRegistry, defineResource } from '@cosi-ts/resource';
import type { DataProfile } from '../storage/data-profile.js';

/** A resource like those of an app. */
export const Thing = defineResource<{ size: number }>({ type: 'Things.test.cosi.dev', namespace: 'things' });

/** The data of an app. */
export const thingData: DataProfile = {
  app: 'an app of things',
  passphraseVariable: 'THINGS_PASSPHRASE',
  types: createTypeRegistry([Thing]),
  files: ['own.json'],
};
