// The process that is attacked: a server of an in-memory state, with defaults for everything.
import { setImmediate as turn } from 'node:timers/promises';
import { answerQuestions, countWatches } from '@cosi-ts/harness';
import { serveState } from '@cosi-ts/transport';
import { AttackedCore } from './attacked-core.js';

export interface Holdings {
  /** Connections that are open. */
  readonly sockets: number;
  /** Watches that hold something in the state. */
  readonly watches: number;
}

export interface Memory {
  /** After a collection: objects, and what lies outside of the heap for them. */
  readonly liveBytes: number;
  /** The most that the process ever had of the machine's memory. */
  readonly peakBytes: number;
}

export type ServerAnswers = {
  holdings(): Holdings;
  memory(): Promise<Memory>;
  wipe(): Promise<void>;
  /** What the server has logged as an error since it was asked last. */
  logged(): readonly string[];
};

export interface ServerReady {
  readonly address: string;
}

if (gc === undefined) throw new Error('the attacked server must run with --expose-gc');
const collect = gc;

const core = new AttackedCore();
const watches = countWatches(core);
let logged: string[] = [];
const log = (fields: object, message: string) => {
  const { err } = fields as { readonly err?: unknown };
  if (logged.length < 20) logged.push(`${message}: ${err instanceof Error ? err.stack : JSON.stringify(fields)}`);
};
const server = await serveState(core, { address: '127.0.0.1:0', logger: { error: log, warn() {} } });

answerQuestions<ServerAnswers>(
  {
    holdings: () => ({
      sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
      watches: watches.open,
    }),
    async memory() {
      // What is only reachable through finished promises and finalizers goes in steps.
      for (let i = 0; i < 4; i++) {
        collect();
        await turn();
      }
      const { heapUsed, external } = process.memoryUsage();
      return { liveBytes: heapUsed + external, peakBytes: process.resourceUsage().maxRSS * 1024 };
    },
    wipe: () => core.wipe(),
    logged() {
      const before = logged;
      logged = [];
      return before;
    },
  },
  { address: server.address } satisfies ServerReady,
);
