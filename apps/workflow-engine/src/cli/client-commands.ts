import { collected, integer, type Surroundings } from '@cosi-ts/app-kit';
import { Argument, type Command, Option } from 'commander';
import type { ClientCommand } from '../commands/command-context.js';
import { type GetFlags, getCommand, type Thing, things } from '../commands/get-command.js';
import { type GraphFlags, graphCommand, graphFormats } from '../commands/graph-command.js';
import { type LogsFlags, logsCommand } from '../commands/logs-command.js';
import { outputFormats } from '../commands/print-data.js';
import {
  type ActionFlags,
  type DecisionFlags,
  decisionCommand,
  deleteRuns,
  type RunAction,
  runActionCommand,
  type SignalFlags,
  signalCommand,
} from '../commands/run-action-commands.js';
import { type RunFlags, runCommand } from '../commands/run-command.js';
import { type ScheduleFlags, setScheduleCommand, suspendCommand } from '../commands/schedule-commands.js';
import { setSecretCommand, unsetSecretCommand } from '../commands/secret-command.js';
import { type ValidateFlags, validateCommand } from '../commands/validate-command.js';
import { applyCommand, type Deletable, deleteCommand } from '../commands/workflow-commands.js';
import type { ClientTask } from './command-line.js';
import { pluginOption } from './plugin-option.js';
import { defaultPort } from './serve-flags.js';

const serverVariable = 'WORKFLOW_SERVER';

type Environment = Readonly<Record<string, string | undefined>>;
type Take = (task: ClientTask) => void;

/** Adds what is asked of an engine that runs, and what needs none. */
export function addClientCommands(program: Command, surroundings: Surroundings, take: Take): void {
  const client = new Client(surroundings.environment ?? process.env, take);
  addRunCommands(program, client, surroundings);
  addWorkflowCommands(program, client);
  addOtherCommands(program, client);
}

const exampleServer = `http://127.0.0.1:${defaultPort}`;

/** Takes what commands are to do, and at which engine. */
class Client {
  readonly #preset: string;
  readonly #take: Take;

  constructor(environment: Environment, take: Take) {
    this.#preset = environment[serverVariable] || exampleServer;
    this.#take = take;
  }

  /** Adds `--server`. */
  add(command: Command): Command {
    return command.option('--server <url>', `where the engine is (or ${serverVariable})`, this.#preset);
  }

  take(command: Command, run: ClientCommand): void {
    const names: string[] = [];
    for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
    const { server = this.#preset } = command.opts<{ server?: string }>();
    const name = command.getOptionValueSource('server') === 'default' ? serverVariable : '--server';
    if (!/^https?:\/\//.test(server)) command.error(`error: ${name} ${server}: it must be like ${exampleServer}`);
    this.#take({ name: 'client', command: names.join(' '), server, run });
  }
}

const inputOption = () =>
  new Option('--input <name=value>', 'an input; of another type than text as JSON; repeatable').argParser(collected());
const inputsOption = () => new Option('--inputs <file>', 'inputs as a map in JSON or YAML; "-" is the standard input');

const executorOption = () =>
  new Option('--executor <name>', 'an executor that is plugged into the engine; repeatable').argParser(collected());

/** What only a run with an engine of its own is given, and how others get it. */
const localOnly = [
  ['apply', 'apply FILE'],
  ['secret', 'secret set NAME KEY'],
  ['plugin', 'serve --plugin FILE'],
] as const;

function addRunCommands(program: Command, client: Client, surroundings: Surroundings): void {
  program.commandsGroup('Runs:');
  client
    .add(program.command('run'))
    .description('run a file or a workflow of the engine, and follow it to its end')
    .argument('<file|workflow>', 'a file of YAML, "-", or the name of a workflow')
    .addOption(inputOption())
    .addOption(inputsOption())
    .option('--no-wait', 'only begin it, and print its id')
    .option('--wait', 'follow it to its end; Ctrl-C leaves it going on (the default)')
    .option('--local', 'run it in this process, without an engine; nothing is kept')
    .addOption(
      new Option('--apply <file>', 'with --local: another workflow, which this one runs; repeatable').argParser(
        collected(),
      ),
    )
    .addOption(
      new Option(
        '--secret <name/key=text>',
        'with --local: a secret, =@FILE for that of a file, without = the standard input; repeatable',
      ).argParser(collected()),
    )
    .addOption(pluginOption(surroundings, 'with --local: '))
    .option('--id <id>', 'the id of the run (default: the name of the workflow and some letters)')
    .option('--priority <number>', 'higher goes first', integer(-1000, 1000))
    .option('--paused', 'begin nothing until it is resumed')
    .action((what: string, flags: RunFlags, command: Command) => {
      if (flags.local === true && flags.wait === false)
        command.error('error: --local ends with the command: leave out --no-wait');
      for (const [name, instead] of localOnly) {
        if (flags.local !== true && flags[name] !== undefined)
          command.error(`error: --${name} goes with --local: an engine gets it with workflow ${instead}`);
      }
      client.take(command, runCommand(what, flags));
    });
  client
    .add(program.command('get'))
    .description('show runs, one run, its steps, workflows, schedules, secrets or workers')
    .addArgument(new Argument('<what>', 'what to show').choices(things))
    .argument('[name...]', 'a run or a workflow; of steps the run, and a step for its executions')
    .addOption(new Option('-o, --output <format>', 'how').choices(outputFormats).default('table'))
    .option('--wait', 'of a run: follow it to its end, which the exit code tells')
    .option('--workflow <name>', 'of runs: those of this workflow')
    .option('--state <state,…>', 'of runs and executions: those in these states')
    .option('--nested', 'of runs: also those that other runs began')
    .option('--limit <number>', 'so many at most', integer(1, 10_000), 50)
    .option('--offset <number>', 'of executions: from this one on', integer(0, 1e9))
    .action((thing: Thing, names: readonly string[], flags: GetFlags, command: Command) =>
      client.take(command, getCommand(thing, names, flags)),
    );
  client
    .add(program.command('logs'))
    .description('print the logs of a run, or of one step')
    .argument('<run>')
    .argument('[step]')
    .option('-f, --follow', 'go on while they are written')
    .option('--index <number>', 'of a step with items: which of them', integer(0, 1e9))
    .option('--attempt <number>', 'which attempt (default: the newest)', integer(1, 1e9))
    .option('--tail <number>', 'only the last lines', integer(0, 10_000))
    .option('--timestamps', 'with the time of each line')
    .action((run: string, step: string | undefined, flags: LogsFlags, command: Command) =>
      client.take(command, logsCommand(run, step, flags)),
    );
  for (const [action, text] of [
    ['cancel', 'end runs: what executes is asked to, and clean-up steps are executed'],
    ['retry', 'execute again what failed or was cancelled'],
    ['pause', 'begin nothing new; what executes goes on to its end'],
    ['resume', 'go on after a pause'],
  ] as const satisfies readonly (readonly [RunAction, string])[]) {
    const command = client.add(program.command(action)).description(text).argument('<run...>');
    if (action !== 'pause') command.option('--wait', 'follow them to their ends');
    command.action((runs: readonly string[], flags: ActionFlags, own: Command) =>
      client.take(own, runActionCommand(action, runs, flags)),
    );
  }
  for (const decision of ['approve', 'reject'] as const) {
    client
      .add(program.command(decision))
      .description(`${decision} what a run asks for`)
      .argument('<run>')
      .argument('[step]', 'which step, where several ask')
      .option('--index <number>', 'of a step with items: which of them', integer(0, 1e9))
      .option('--comment <text>', 'why')
      .option('--by <name>', 'who (default: the user of this process)')
      .action((run: string, step: string | undefined, flags: DecisionFlags, command: Command) =>
        client.take(command, decisionCommand(decision, run, step, flags)),
      );
  }
  client
    .add(program.command('signal'))
    .description('send a signal that a step waits for')
    .argument('<run>')
    .argument('<name>')
    .option('--payload <json>', 'data: the outputs of the step')
    .option('--by <name>', 'who (default: the user of this process)')
    .action((run: string, name: string, flags: SignalFlags, command: Command) =>
      client.take(command, signalCommand(run, name, flags)),
    );
}

function addWorkflowCommands(program: Command, client: Client): void {
  program.commandsGroup('Workflows:');
  client
    .add(program.command('apply'))
    .description('add workflows to those of the engine, or change them')
    .argument('<file...>')
    .option('--dry-run', 'only say what would be done')
    .action((files: readonly string[], flags: { dryRun?: boolean }, command: Command) =>
      client.take(command, applyCommand(files, flags)),
    );
  program
    .command('validate')
    .description('check files, without an engine')
    .argument('<file...>')
    .addOption(executorOption())
    .action((files: readonly string[], flags: ValidateFlags, command: Command) =>
      client.take(command, validateCommand(files, flags)),
    );
  client
    .add(program.command('graph'))
    .description('draw a file, without an engine, or a run or workflow of one')
    .argument('<file|run|workflow>')
    .addOption(new Option('-o, --output <format>', '"dot" is for Graphviz').choices(graphFormats).default('dot'))
    .addOption(executorOption())
    .action((what: string, flags: GraphFlags, command: Command) => client.take(command, graphCommand(what, flags)));
}

function addOtherCommands(program: Command, client: Client): void {
  program.commandsGroup('The rest:');
  const secret = program
    .command('secret')
    .description('texts that steps need and nobody should see')
    .helpCommand(false);
  client
    .add(secret.command('set'))
    .description('keep texts, beside those that the secret has')
    .argument('<name>')
    .argument('<key[=text]...>', 'KEY=TEXT, KEY=@FILE, or KEY for the standard input')
    .action((name: string, parts: readonly string[], _flags: object, command: Command) =>
      client.take(command, setSecretCommand(name, parts)),
    );
  client
    .add(secret.command('unset'))
    .description('take keys away')
    .argument('<name>')
    .argument('<key...>')
    .action((name: string, keys: readonly string[], _flags: object, command: Command) =>
      client.take(command, unsetSecretCommand(name, keys)),
    );
  const listFlags = { output: 'table', limit: 50 } as const;
  addDelete(secret, 'secret', client);
  client
    .add(secret.command('list'))
    .description('names and keys, and never texts')
    .action((_flags: object, command: Command) => client.take(command, getCommand('secrets', [], listFlags)));

  const schedule = program.command('schedule').description('runs at times').helpCommand(false);
  client
    .add(schedule.command('set'))
    .description('make a schedule, or change it as a whole')
    .argument('<name>')
    .requiredOption('--workflow <name>', 'what is run')
    .requiredOption('--cron <fields>', 'minute, hour, day, month, day of the week: "0 3 * * *"')
    .option('--time-zone <name>', 'like Europe/Berlin (default: UTC)')
    .addOption(inputOption())
    .addOption(inputsOption())
    .addOption(
      new Option('--overlap <what>', 'when the run before goes on (default: skip)').choices([
        'allow',
        'skip',
        'replace',
      ]),
    )
    .option('--catch-up <span>', 'how late a run may begin that was missed, like 1h')
    .option('--suspended', 'make no runs until it is resumed')
    .action((name: string, flags: ScheduleFlags, command: Command) =>
      client.take(command, setScheduleCommand(name, flags)),
    );
  for (const [verb, suspended] of [
    ['suspend', true],
    ['resume', false],
  ] as const) {
    client
      .add(schedule.command(verb))
      .description(suspended ? 'make no runs until it is resumed' : 'make runs again')
      .argument('<name>')
      .action((name: string, _flags: object, command: Command) =>
        client.take(command, suspendCommand(name, suspended)),
      );
  }
  addDelete(schedule, 'schedule', client);
  client
    .add(schedule.command('list'))
    .description('all schedules, with when they are next')
    .action((_flags: object, command: Command) => client.take(command, getCommand('schedules', [], listFlags)));

  client
    .add(program.command('delete'))
    .description('take runs that are over, workflows, schedules or secrets away')
    .addArgument(new Argument('<what>').choices(['run', 'workflow', 'schedule', 'secret']))
    .argument('<name...>')
    .option('--force', 'of a run that goes on: cancel it first, and wait for its end')
    .action((what: Deletable | 'run', names: readonly string[], flags: { force?: boolean }, command: Command) =>
      client.take(command, what === 'run' ? deleteRuns(names, flags) : deleteCommand(what, names)),
    );
}

/** `secret delete` is what people look for beside `delete secret`. */
function addDelete(parent: Command, kind: Deletable, client: Client): void {
  client
    .add(parent.command('delete'))
    .description(kind === 'secret' ? 'take secrets away' : 'take schedules away; their runs stay')
    .argument('<name...>')
    .action((names: readonly string[], _flags: object, command: Command) =>
      client.take(command, deleteCommand(kind, names)),
    );
}
