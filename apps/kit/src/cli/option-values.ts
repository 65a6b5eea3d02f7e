import { InvalidArgumentError as InvalidValue } from 'commander';
import { typedPath } from '../files/typed-path.js';

/** A value of an option that can be given more than once. */
export function collected(read: (text: string) => string = (text) => text) {
  return (text: string, earlier: readonly string[] = []): readonly string[] => [...earlier, read(text)];
}

/** A path as it is meant by who is in that folder. */
export function pathFrom(folder: string) {
  return (text: string): string => {
    if (text === '') throw new InvalidValue('It must be a path.');
    return typedPath(text, folder);
  };
}

export function number(least: number, most: number) {
  return (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= least && value <= most)) throw new InvalidValue(`It must be a number from ${least} to ${most}.`);
    return value;
  };
}

export function integer(least: number, most: number) {
  const read = number(least, most);
  return (text: string): number => {
    const value = read(text);
    if (!Number.isInteger(value)) throw new InvalidValue(`It must be an integer from ${least} to ${most}.`);
    return value;
  };
}
