import type { App } from '../app.js';
import type { Plugins } from '../plugins.js';
import type { EngineClient } from './engine-client.js';
import type { Terminal } from './terminal.js';

/** What a command of the client works with. */
export interface CommandContext {
  readonly client: EngineClient;
  readonly terminal: Terminal;
  /** Starts an engine in this process, with everything in memory, which ends with {@link App.close}. */
  readonly startLocal: (extensions: Plugins) => Promise<App>;
  /** Calls back when somebody presses Ctrl-C, until it is disposed of. */
  readonly onInterrupt: (act: () => void) => Disposable;
  /** Who sits here. */
  readonly user: string;
}

/** Does the work, and gives the exit code. Rejects with a `CommandError`. */
export type ClientCommand = (context: CommandContext) => Promise<number>;
