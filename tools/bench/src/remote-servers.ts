import { LineProcess } from './line-process.js';

/** A server in a process of its own. */
export interface Served extends AsyncDisposable {
  /** `host:port` */
  readonly address: string;
  readonly process: LineProcess;
}

const program = new URL('./served-process.js', import.meta.url);

async function served(process: LineProcess): Promise<Served> {
  return { address: await process.line(), process, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

/** Our state in memory, the echo and stream of the RPC library, or an echo on HTTP/2 alone. */
export function serveOurs(what: 'state' | 'library' | 'http2'): Promise<Served> {
  return served(LineProcess.node(program, what));
}

/** The Go implementation's state in memory. */
export function servePeer(program: string): Promise<Served> {
  return served(new LineProcess(program, ['serve']));
}
