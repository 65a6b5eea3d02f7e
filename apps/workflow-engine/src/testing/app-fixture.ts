import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventReader } from '@cosi-ts/app-kit/testing';
import { RecordingLogger } from '@cosi-ts/testing';
import { type App, type AppExtensions, startApp } from '../app.js';
import type { AppOptions } from '../app-options.js';
import { defaultRetention } from '../workflow-engine.js';

/** How long something may take that should take milliseconds. */
const patienceMs = 20_000;

/** What is waited for can come no more. */
class NeverError extends Error {}

export interface Answer {
  readonly status: number;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly body: any;
}

/** The app on free ports of loopback, with its resources in memory. */
export class AppFixture implements AsyncDisposable {
  private constructor(
    readonly app: App,
    readonly folder: string,
    readonly logger: RecordingLogger,
  ) {}

  static async start(options: Partial<AppOptions> = {}, extensions: AppExtensions = {}): Promise<AppFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'workflow-app-'));
    const logger = new RecordingLogger();
    try {
      return new AppFixture(await startApp(appOptions(options), logger, extensions), folder, logger);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return this.app.url;
  }

  /** Sends JSON (or a text as it is) and reads the JSON that comes back. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body: await response.json(),
    };
  }

  events(path = '/events', lastEventId?: string): Promise<EventReader> {
    return EventReader.open(`${this.url}${path}`, lastEventId);
  }

  /** Starts a run of a definition, and gives its id. */
  async start(source: string, more: object = {}): Promise<string> {
    const { status, body } = await this.call('POST', '/runs', { source, ...more });
    if (status !== 201) throw new Error(`the run was not made: ${JSON.stringify(body)}`);
    return body.id as string;
  }

  /** Asks again whenever something of the run has happened, until the check passes; on giving up, throws what it threw last. */
  async until<T>(run: string, check: () => Promise<T> | T): Promise<T> {
    await using events = await this.events(`/events?run=${run}`);
    const end = AbortSignal.timeout(patienceMs);
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (error instanceof NeverError || (await events.next(end)) === undefined) throw error;
      }
    }
  }

  /** The run, as soon as it is in that state. */
  untilState(run: string, state: string): Promise<Answer['body']> {
    return this.until(run, async () => {
      const { body } = await this.call('GET', `/runs/${run}`);
      if (body.state === state) return body;
      const what = `the run is ${body.state}, not ${state}: ${JSON.stringify(body)}`;
      throw ['succeeded', 'failed', 'cancelled'].includes(body.state) ? new NeverError(what) : new Error(what);
    });
  }

  /** The run, as soon as a step of it is in that state. */
  untilStep(run: string, step: string, state: string): Promise<Answer['body']> {
    return this.until(run, async () => {
      const { body } = await this.call('GET', `/runs/${run}`);
      const found = body.steps?.find((each: { step: string }) => each.step === step);
      if (found?.state !== state) throw new Error(`step ${step} is not ${state}: ${JSON.stringify(body)}`);
      return body;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function appOptions(options: Partial<AppOptions> = {}): AppOptions {
  return {
    host: '127.0.0.1',
    port: 0,
    stateAddress: '127.0.0.1:0',
    allowedHosts: [],
    data: undefined,
    slots: {},
    graceMs: 1000,
    retention: defaultRetention,
    log: { level: 'info', format: 'json' },
    page: undefined,
    ...options,
  };
}
