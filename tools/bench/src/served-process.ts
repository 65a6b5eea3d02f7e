// Serves a state in memory, or a floor beside it, prints where, and does what it is told by lines.
import { createInterface } from 'node:readline';
import type { Resource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { serveState } from '@cosi-ts/transport';
import { burst, fill } from './burst.js';
import { serveHttp2, serveLibrary } from './floor.js';
import { liveBytes, maxResidentBytes } from './memory.js';

const mode = process.argv[2];
if (mode === 'library') console.log(`127.0.0.1:${await serveLibrary()}`);
else if (mode === 'http2') console.log(`127.0.0.1:${await serveHttp2()}`);
else {
  // Large enough that no watch of the benchmarks falls out of it.
  const state = new InMemoryState({ history: { maxEvents: 2 ** 18, maxBytes: 2 ** 31 } });
  const server = await serveState(state, { address: '127.0.0.1:0' });
  console.log(server.address);
  let current: Resource[] = [];
  for await (const line of createInterface(process.stdin)) {
    const [command, count] = line.split(' ');
    if (command === 'fill') current = await fill(state, Number(count));
    else if (command === 'burst') await burst(state, current, Number(count));
    const answer = () => JSON.stringify({ liveBytes: liveBytes(), maxResidentBytes: maxResidentBytes() });
    console.log(command === 'memory' ? answer() : 'done');
  }
}
