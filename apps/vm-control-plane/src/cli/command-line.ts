import { Command } from 'commander';
import type { AppOptions } from '../app-options.js';
import type { CommandTask } from '../commands/run-command.js';
import { addKeyCommands } from './key-commands.js';
import { addStartFlags, appOptionsOf } from './start-flags.js';
import { addStoreCommands } from './store-commands.js';
import type { Surroundings } from './surroundings.js';

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
  const program = new Command('vm-control-plane')
    .description('A control plane for virtual machines on a simulated hypervisor: page, API, events and State service.')
    .usage('[options]\n       vm-control-plane <command> [options]')
    .version(surroundings.version)
    .configureOutput((surroundings.write && { writeOut: surroundings.write, writeErr: surroundings.write }) || {})
    .exitOverride()
    .enablePositionalOptions()
    .commandsGroup('Commands on the data:')
    .helpCommand(false);
  addStartFlags(program, surroundings);
  addStoreCommands(program, surroundings, take);
  addKeyCommands(program, surroundings, take);
  // What is no command is an argument to commander.
  program.argument('[command]').action((unknown?: string) => {
    if (unknown !== undefined) program.error(`error: there is no command '${unknown}', see --help`);
    take({ name: 'start', options: appOptionsOf(program, surroundings) });
  });
  // What is written before a command is about the app, and would be lost.
  program.hook('preSubcommand', (_, sub) => {
    const misplaced = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === 'cli');
    if (misplaced !== undefined)
      program.error(`error: options come after the command: ${sub.name()} ${misplaced.long}`);
  });
  try {
    program.parse([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = (error as { exitCode?: number }).exitCode === 0 ? 0 : 2;
    return undefined;
  }
  return task;
}
