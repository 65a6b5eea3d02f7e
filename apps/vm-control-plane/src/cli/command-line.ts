import {
  addKeyCommands,
  addStoreCommands,
  type CommandTask,
  DataOptionReader,
  newProgram,
  parseProgram,
  type Surroundings,
} from '@cosi-ts/app-kit';
import type { AppOptions } from '../app-options.js';
import { vmData } from '../vm-data.js';
import { addStartFlags, appOptionsOf } from './start-flags.js';

/** What someone wants done: the app to run, or a command on its data. */
export type Task = { readonly name: 'start'; readonly options: AppOptions } | CommandTask;

/**
 * Reads the command line. Undefined: there is nothing more to do, because help or the version was asked for, or the
 * command line was wrong; commander has said so, and set the exit code.
 */
export function parseCommandLine(args: readonly string[], surroundings: Surroundings): Task | undefined {
  let task: Task | undefined;
  const take = (taken: Task) => {
    task = taken;
  };
  const reader = new DataOptionReader(vmData, surroundings);
  const program = newProgram('vm-control-plane', surroundings)
    .description('A control plane for virtual machines on a simulated hypervisor: page, API, events and State service.')
    .usage('[options]\n       vm-control-plane <command> [options]')
    .commandsGroup('Commands on the data:');
  addStartFlags(program, reader);
  addStoreCommands(program, reader, take);
  addKeyCommands(program, reader, take);
  // What is no command is an argument to commander.
  program.argument('[command]').action((unknown?: string) => {
    if (unknown !== undefined) program.error(`error: there is no command '${unknown}', see --help`);
    take({ name: 'start', options: appOptionsOf(program, reader, surroundings.page) });
  });
  return parseProgram(program, args) ? task : undefined;
}
