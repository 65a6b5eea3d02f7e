import type { Attack } from '../attack.js';
import { connectionFlood } from './connection-flood.js';
import { framing } from './framing.js';
import { giants } from './giants.js';
import { halfOpenConnections, halfOpenStreams } from './half-open.js';
import { headers } from './headers.js';
import { http1Garbage, pipelining } from './http1-garbage.js';
import { http2Frames } from './http2-frames.js';
import { idleWatches } from './idle-watches.js';
import { jsonBodies } from './json.js';
import { hostileLabels } from './labels.js';
import { hostilePatterns } from './patterns.js';
import { brokenProtobuf, hostileMessages } from './protobuf.js';
import { rapidResets } from './resets.js';
import { slowReaders } from './slow-readers.js';

/** All attacks, in the order in which they are made. */
export const attacks: readonly Attack[] = [
  hostileMessages,
  brokenProtobuf,
  jsonBodies,
  headers,
  framing,
  http1Garbage,
  pipelining,
  http2Frames,
  hostilePatterns,
  hostileLabels,
  giants,
  halfOpenStreams,
  rapidResets,
  connectionFlood,
  slowReaders,
  idleWatches,
  halfOpenConnections,
];
