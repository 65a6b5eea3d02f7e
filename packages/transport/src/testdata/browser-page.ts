// What pages of tests are given: the parts of the library that programs in browsers use.
import { defineResource } from '@cosi-ts/resource';
import { wrapState } from '@cosi-ts/state';
import { connectState } from '../web.js';

export const library = { connectState, defineResource, wrapState };

declare global {
  var cosi: typeof library;
}

globalThis.cosi = library;
