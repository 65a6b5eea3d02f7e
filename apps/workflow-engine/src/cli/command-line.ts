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
import type { ClientCommand } from '../commands/command-context.js';
import type { WorkerOptions } from '../worker-app.js';
import { workflowData } from '../workflow-data.js';
import { addClientCommands } from './client-commands.js';
import { type PluginFlags, pluginOption } from './plugin-option.js';
import { addServeFlags, appOptionsOf } from './serve-flags.js';
import { addWorkerFlags, workerOptionsOf } from './worker-flags.js';

/** Something that is asked of an engine, or done without one. */
export interface ClientTask {
  readonly name: 'client';
  /** What was typed: `get`, `secret set`. */
  readonly command: string;
  readonly server: string;
  readonly run: ClientCommand;
}

/** What someone wants done: the engine or a worker to run, something of an engine that runs, or a command on its data. */
export type Task =
  | { readonly name: 'serve'; readonly options: AppOptions; readonly plugins: readonly string[] }
  | { readonly name: 'worker'; readonly options: WorkerOptions; readonly plugins: readonly string[] }
  | ClientTask
  | DataTask;

/** A command on the data. Only a backup can take files along. */
export type DataTask = CommandTask & { readonly withFiles?: boolean };

/**
 * Reads the command line. Undefined: there is nothing more to do, because help or the version was asked for, or the
 * command line was wrong; commander has said so, and set the exit code.
 */
export function parseCommandLine(args: readonly string[], surroundings: Surroundings): Task | undefined {
  let task: Task | undefined;
  const take = (taken: Task) => {
    task = taken;
  };
  const reader = new DataOptionReader(workflowData, surroundings);
  const program = newProgram('workflow', surroundings)
    .description('A durable workflow engine: steps in YAML, executed as processes, requests and functions.')
    .usage('<command> [options]')
    .showHelpAfterError('"workflow --help" lists the commands, and "workflow COMMAND --help" the options of one');
  program.commandsGroup('The engine:');
  const serve = program.command('serve').description('run the engine: page, API, events and State service');
  addServeFlags(serve, reader);
  serve.addOption(pluginOption(surroundings).helpGroup('How it works:'));
  serve.action(({ plugin = [] }: PluginFlags, command: Command) =>
    take({ name: 'serve', options: appOptionsOf(command, reader, surroundings.page), plugins: plugin }),
  );
  const worker = program
    .command('worker')
    .description('execute steps of an engine elsewhere that ask for what this serves');
  addWorkerFlags(worker, surroundings);
  worker.addOption(pluginOption(surroundings).helpGroup('Options:'));
  worker.action(({ plugin = [] }: PluginFlags, command: Command) =>
    take({ name: 'worker', options: workerOptionsOf(command, surroundings), plugins: plugin }),
  );
  addClientCommands(program, surroundings, take);
  program.commandsGroup('The data, while the engine is stopped:');
  addStoreCommands(program, reader, (of) =>
    take(of.name === 'backup' && withFiles() ? { ...of, withFiles: true } : of),
  );
  const withFiles = addWithFiles(program);
  addKeyCommands(program, reader, take);
  program.addHelpText('after', helpAfter);
  if (args.length === 0) {
    program.outputHelp();
    return undefined;
  }
  return parseProgram(program, args) ? task : undefined;
}

/** Adds `--with-files` to `backup`. Gives what reads it. */
function addWithFiles(program: Program): () => boolean {
  const backup = program.commands.find((command) => command.name() === 'backup');
  backup?.option('--with-files', 'take logs and artifacts along').addHelpText(
    'after',
    `
A backup holds the resources: workflows, runs, results, schedules, secrets. Logs and artifacts are files beside them, and
are in it only with --with-files; they are not encrypted, whatever the resources are.`,
  );
  return () => backup?.opts<{ withFiles?: boolean }>().withFiles === true;
}

type Program = ReturnType<typeof newProgram>;
type Command = Parameters<typeof appOptionsOf>[0];

const helpAfter = `
Begin with:
  workflow serve                   the engine, in one terminal
  workflow run hello.yaml          a run, in another
  workflow run hello.yaml --local  a run without an engine, of which nothing is kept
Workflows to begin with are in apps/workflow-engine/examples of a clone.

Exit codes: 0 all is well, 1 a run failed or something was refused, 2 the command line is wrong, 3 no engine answers,
4 a run was cancelled, 5 another worker has taken the name, 130 Ctrl-C.`;
