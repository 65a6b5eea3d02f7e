import { type ApiRequest, EventStream, Problem, type Route, route } from '@cosi-ts/app-kit';
import { type Clock, type State, sleep } from '@cosi-ts/state';
import type { DefinitionCache } from '../definition/definition-cache.js';
import type { LogLine } from '../executors/logs/log-line.js';
import { readLog, tailOffset } from '../executors/logs/log-reader.js';
import type { RemoteFiles } from '../executors/remote-files.js';
import { indexOf, stepOf } from './executions-routes.js';
import { inBatches } from './in-batches.js';
import { flagIn, integerIn } from './query-values.js';
import { runParts } from './run-view.js';
import { findStepLog, type LogPlace, type StepLog } from './step-log.js';

export interface LogRoutesOptions {
  readonly state: State;
  readonly logsFolder: string;
  readonly definitions: DefinitionCache;
  readonly clock: Clock;
}

export interface LineView {
  readonly time: string;
  readonly stream: string;
  readonly text: string;
  readonly goesOn: boolean;
  readonly offset: number;
}

const maxBatch = 500;
const pollMs = 100;
const mostStreams = 256;

/**
 * `/runs/:run/steps/:step/log`: the log of an attempt, from an offset in bytes or the last lines of it; with
 * `?follow=true` as server-sent events, on until the attempt is over.
 */
export function logRoutes(options: LogRoutesOptions): readonly Route[] {
  const { state, logsFolder } = options;
  let streams = 0;

  const placeOf = async ({ params, query, signal }: ApiRequest): Promise<LogPlace> => {
    const parts = await runParts(state, params.run as string, { signal });
    const { run, summary, isMany, hasItems } = stepOf(parts, params.step as string, options.definitions);
    const text = query.get('index');
    const index = text === null ? -1 : indexOf(text, isMany);
    if (index < 0 && isMany) {
      throw new Problem(400, 'invalid-argument', `step ${summary.step} has an execution for each item or round`, {
        field: 'index',
        hint: 'say which one, for instance ?index=0',
      });
    }
    const count = isMany ? (hasItems ? summary.total : 0) : 1;
    // How many rounds there will be, and how many items before there is a list, nobody knows.
    if (index >= 0 && (!isMany || (count > 0 && index >= count))) {
      throw new Problem(404, 'not-found', `step ${summary.step} has no execution ${index}`, {
        field: 'index',
        hint: isMany ? `it has ${count}, counted from 0` : 'it has one, without an index: leave out ?index=',
      });
    }
    return {
      run,
      step: summary.step,
      index,
      attempt: integerIn(query, 'attempt', [1, 1e9], undefined),
    };
  };

  const findLog = async (place: LogPlace, signal: AbortSignal): Promise<StepLog> => {
    const log = await findStepLog(state, logsFolder, place, { signal });
    if (log?.elsewhere !== undefined) throw elsewhere(place.step, log.elsewhere);
    if (log !== undefined) return log;
    if (place.attempt === undefined) return { attempt: 0, path: undefined, isOver: false };
    throw new Problem(404, 'not-found', `there is no attempt ${place.attempt} of step ${place.step}`, {
      hint: 'leave out ?attempt= for the newest',
    });
  };

  const read = async (request: ApiRequest) => {
    const { query, signal } = request;
    if (flagIn(query, 'follow')) return follow(request);
    const place = await placeOf(request);
    const log = await findLog(place, signal);
    const limit = integerIn(query, 'limit', [1, 10_000], 1000);
    const from = await beginningOf(log, query);
    const lines: LogLine[] = [];
    if (log.path !== undefined) {
      for await (const line of readLog(log.path, { from, signal })) {
        lines.push(line);
        if (lines.length >= limit) break;
      }
    }
    const nextOffset = lines.at(-1)?.nextOffset ?? from;
    return {
      status: 200,
      body: { attempt: log.attempt, isOver: log.isOver, offset: from, nextOffset, lines: lines.map(lineView) },
    };
  };

  const follow = async (request: ApiRequest) => {
    const { raw, response, query, signal } = request;
    const place = await placeOf(request);
    const first = await findLog(place, signal);
    const resumed = raw.headers['last-event-id']?.toString() ?? '';
    const from = /^\d{1,15}$/.test(resumed) ? Number(resumed) : await beginningOf(first, query);
    if (raw.method === 'HEAD') {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end();
      return undefined;
    }
    if (streams >= mostStreams) {
      throw new Problem(503, 'resource-exhausted', `${mostStreams} logs are followed already`, {
        hint: 'wait until some of them end, or read the log without ?follow=true',
      });
    }
    // What is followed is this attempt, also when another one begins.
    const attempt = place.attempt ?? (first.attempt === 0 ? undefined : first.attempt);
    const ask = () => findStepLog(state, logsFolder, { ...place, attempt }, { signal });
    // An attempt that is no more is over.
    const isOver = async () => (await ask())?.isOver ?? true;
    streams++;
    try {
      using stream = new EventStream(response, options.clock, signal);
      await stream.send('attempt', { attempt: first.attempt });
      const path =
        first.path ??
        (await waitForPath(async () => (await ask()) ?? (await findLog(place, signal)), options.clock, signal));
      let offset = from;
      if (path !== undefined) {
        for await (const lines of inBatches(readLog(path, { from, isOver, signal }), maxBatch)) {
          offset = lines.at(-1)?.nextOffset ?? offset;
          await stream.send('lines', lines.map(lineView), String(offset));
        }
      }
      await stream.send('end', {}, String(offset));
      response.end();
    } catch (error) {
      // The client has gone, or the server is stopping: the ends that streams have.
      if (!signal.aborted) throw error;
    } finally {
      streams--;
    }
    return undefined;
  };

  return [route('GET', '/runs/:run/steps/:step/log', read)];
}

function elsewhere(step: string, { host, log }: RemoteFiles): Problem {
  return new Problem(404, 'log-elsewhere', `the log of step ${step} is with its worker: ${log} on ${host}`, {
    hint: 'logs and artifacts of workers stay on their machines',
  });
}

/** Waits until there is a log. Undefined: the attempt ended without one, or is no more. */
async function waitForPath(
  ask: () => Promise<StepLog | undefined>,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const log = await ask();
    if (log === undefined || log.path !== undefined || log.isOver) return log?.path;
    await sleep(clock, pollMs, signal);
  }
}

async function beginningOf(log: StepLog, query: URLSearchParams): Promise<number> {
  const tail = integerIn(query, 'tail', [0, 10_000], undefined);
  const offset = integerIn(query, 'offset', [0, Number.MAX_SAFE_INTEGER], 0);
  return tail === undefined || log.path === undefined ? offset : tailOffset(log.path, tail);
}

function lineView({ time, stream, text, goesOn, offset }: LogLine): LineView {
  return { time: time.toISOString(), stream, text, goesOn, offset };
}
