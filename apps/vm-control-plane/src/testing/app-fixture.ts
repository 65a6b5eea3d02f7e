import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventReader } from '@cosi-ts/app-kit/testing';
import { RecordingLogger } from '@cosi-ts/testing';
import { type App, startApp } from '../app.js';
import type { AppOptions } from '../app-options.js';
import { defaultNetwork } from '../control-plane.js';

/** How long something may take that should take milliseconds. */
const patienceMs = 15_000;

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly body: any;
}

/** The app on free ports of loopback, with machines that boot in no time. */
export class AppFixture implements AsyncDisposable {
  private constructor(
    readonly app: App,
    readonly folder: string,
    readonly options: AppOptions,
    readonly logger: RecordingLogger,
  ) {}

  static async start(options: Partial<AppOptions> = {}): Promise<AppFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'vm-control-plane-'));
    const logger = new RecordingLogger();
    try {
      const resolved = appOptions(folder, options);
      return new AppFixture(await startApp(resolved, logger), folder, resolved, logger);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return this.app.url;
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`${this.url}${path}`, init);
  }

  /** Sends JSON (or a text as it is) and reads the JSON that comes back. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
    const response = await this.fetch(path, {
      method,
      headers: { ...type, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    return { status: response.status, body: await response.json() };
  }

  events(lastEventId?: string): Promise<EventReader> {
    return EventReader.open(`${this.url}/events`, lastEventId);
  }

  /** Asks again whenever something has happened, until the check passes; on giving up, throws what it threw last. */
  async until(check: () => Promise<void> | void): Promise<void> {
    await using events = await this.events();
    const end = AbortSignal.timeout(patienceMs);
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if ((await events.next(end)) === undefined) throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function appOptions(folder: string, options: Partial<AppOptions> = {}): AppOptions {
  return {
    host: '127.0.0.1',
    port: 0,
    stateAddress: '127.0.0.1:0',
    allowedHosts: [],
    manifests: [],
    prune: false,
    defaultHosts: true,
    data: undefined,
    hypervisorFile: join(folder, 'data', 'machines.json'),
    network: defaultNetwork,
    simulation: { boot: { minMs: 1, maxMs: 5 }, shutdown: { minMs: 1, maxMs: 5 } },
    seed: 1,
    log: { level: 'info', format: 'json' },
    page: undefined,
    ...options,
  };
}
