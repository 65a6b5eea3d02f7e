import { Command } from 'commander';
import type { Surroundings } from './surroundings.js';

/** A command line that throws where commander would end the process. */
export function newProgram(name: string, { version, write }: Surroundings): Command {
  const program = new Command(name)
    .version(version)
    .configureOutput((write && { writeOut: write, writeErr: write }) || {})
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false);
  // What is written before a command is about the app, and would be lost.
  program.hook('preSubcommand', (_, sub) => {
    const misplaced = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === 'cli');
    if (misplaced !== undefined)
      program.error(`error: options come after the command: ${sub.name()} ${misplaced.long}`);
  });
  return program;
}

/**
 * Reads a command line, and runs the actions of what is in it. False: help or the version was asked for, or it was
 * wrong; commander has said so, and the exit code is set.
 */
export function parseProgram(program: Command, args: readonly string[]): boolean {
  try {
    program.parse([...args], { from: 'user' });
    return true;
  } catch (error) {
    process.exitCode = (error as { exitCode?: number }).exitCode === 0 ? 0 : 2;
    return false;
  }
}
