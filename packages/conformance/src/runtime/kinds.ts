import { defineResource } from '@cosi-ts/resource';
import { namespace } from '../items.js';

/** What tests write, and controllers read. */
export const Ints = defineResource<{ value: number }>({ type: 'Ints.conformance.cosi.dev', namespace });
/** What controllers make of ints. */
export const Strings = defineResource<{ text: string }>({ type: 'Strings.conformance.cosi.dev', namespace });
/** What controllers make of strings. */
export const Sentences = defineResource<{ text: string }>({ type: 'Sentences.conformance.cosi.dev', namespace });
/** What controllers make of sentences. */
export const Letters = defineResource<{ text: string }>({ type: 'Letters.conformance.cosi.dev', namespace });
/** What controllers make of many ints. */
export const Sums = defineResource<{ value: number }>({ type: 'Sums.conformance.cosi.dev', namespace });
/** What controllers make of sums. */
export const Totals = defineResource<{ value: number }>({ type: 'Totals.conformance.cosi.dev', namespace });
