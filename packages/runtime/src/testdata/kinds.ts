import { defineResource } from '@cosi-ts/resource';

/** Inputs of the tests' controllers. */
export const Numbers = defineResource<{ value: number }>({ type: 'Numbers.test.cosi.dev', namespace: 'test' });
/** Outputs of the tests' controllers. */
export const Squares = defineResource<{ value: number }>({ type: 'Squares.test.cosi.dev', namespace: 'test' });
export const Cubes = defineResource<{ value: number }>({ type: 'Cubes.test.cosi.dev', namespace: 'test' });
/** What is mapped. */
export const Factors = defineResource<{ factor: number }>({ type: 'Factors.test.cosi.dev', namespace: 'test' });
