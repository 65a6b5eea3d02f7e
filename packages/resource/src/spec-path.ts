import { InvalidArgumentError } from './errors.js';

/** The way to a part of a spec: keys of objects and indices of lists. */
export type SpecPath = readonly (string | number)[];

/** `spec.disks[0].size` */
export function specPathText(path: SpecPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${part}`),
    'spec',
  );
}

/** An `invalid-argument` error about a part of a spec. */
export function invalidSpec(path: SpecPath, why: string): InvalidArgumentError {
  return new InvalidArgumentError(`${specPathText(path)}: ${why}`, { path });
}
