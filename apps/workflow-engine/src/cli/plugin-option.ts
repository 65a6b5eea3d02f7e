import { collected, pathFrom, type Surroundings } from '@cosi-ts/app-kit';
import { Option } from 'commander';

export interface PluginFlags {
  /** Absolute paths. */
  readonly plugin?: readonly string[];
}

/** Adds functions and executors to what executes steps. */
export function pluginOption({ workingFolder = process.cwd() }: Surroundings, prefix = ''): Option {
  return new Option(
    '--plugin <file>',
    `${prefix}a module in JavaScript whose exports are functions and executors for steps; repeatable`,
  ).argParser(collected(pathFrom(workingFolder)));
}
