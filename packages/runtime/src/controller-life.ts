import type { Pointer } from '@cosi-ts/resource';
import { ownedState, wrapState } from '@cosi-ts/state';
import { AccessScope } from './access-scope.js';
import type { EscapeTarget } from './attribution.js';
import { notedWrites } from './cache/noted-writes.js';
import { controllerCore } from './controller-core.js';
import { ControllerLog } from './controller-log.js';
import { settlesWithin } from './grace.js';
import type { DeclaredInput } from './inputs.js';
import { Job, type JobSite } from './job.js';
import type { JobContext } from './job-context.js';
import type { Output } from './outputs.js';
import { ReconcileSpans } from './reconcile-spans.js';
import type { ControllerReport, InputReport, ReportedError } from './report.js';
import type { RunnerHost } from './runner.js';
import { settledWrites } from './settling/settled-writes.js';
import { limitedWrites, WriteLimit, type WriteLimitOptions } from './write-limit.js';

/** What controllers of all kinds say of themselves. */
export interface Declaration {
  readonly name: string;
  readonly inputs: readonly DeclaredInput[];
  readonly outputs?: readonly Output[] | undefined;
  readonly writeLimit?: WriteLimitOptions | undefined;
  shutdownHook?(context: JobContext): Promise<void> | void;
}

/** What is the same in the life of controllers of all kinds: the log, the way to the state, the end. */
export class ControllerLife implements EscapeTarget {
  readonly name: string;
  readonly log: ControllerLog;
  readonly scope: AccessScope;
  readonly site: JobSite;
  readonly spans: ReconcileSpans;
  status: ControllerReport['status'] = 'waiting';
  /** Resolves when work that was told to end has ended, also after the grace time. */
  ended: Promise<unknown> = Promise.resolve();
  readonly #declaration: Declaration;
  readonly #host: RunnerHost;

  constructor(declaration: Declaration, host: RunnerHost) {
    const { name, inputs, outputs = [] } = declaration;
    const { clock, random, backoff, logger } = host.options;
    const limit = declaration.writeLimit ?? host.options.writeLimit;
    this.name = name;
    this.#declaration = declaration;
    this.#host = host;
    this.log = host.log ?? new ControllerLog(logger.child({ controller: name }), clock);
    this.scope = new AccessScope(name, [...inputs], [...outputs]);
    const onCall = () => host.loop.seen(name);
    const core = controllerCore(host.state.core, this.log.counts, host.term, onCall);
    const writeLimit = limit === undefined ? undefined : new WriteLimit(clock, limit);
    const settled = settledWrites(core, {
      owner: name,
      logger: this.log.logger,
      clock,
      random,
      backoff,
      limit: writeLimit,
    });
    const noted = host.cache.isEmpty ? settled : notedWrites(settled, host.cache.of);
    const limited = writeLimit === undefined ? noted : limitedWrites(noted, writeLimit, onCall);
    this.spans = new ReconcileSpans(name, host.options.tracer);
    this.site = {
      scope: this.scope,
      state: ownedState(wrapState(limited), name),
      cache: host.cache,
      logger: this.log.logger,
      clock,
      term: host.term,
      aborters: [],
    };
  }

  /** Calls the controller's own code: what escapes of it is its own. */
  call<T>(code: () => T): T {
    return this.#host.attribution.run(this, code);
  }

  /** What listeners of the signal throw is the controller's. */
  abort(job: { abort(reason: unknown): void }, reason: unknown): void {
    this.call(() => job.abort(reason));
  }

  escaped(error: unknown): void {
    this.log.counts.escaped++;
    this.log.failure(error, 'an error escaped through a timer, an event handler or a promise that nobody awaited');
  }

  /** Waits for the end of work that was told to end, up to the grace time. */
  async settle(ended: Promise<unknown>, leftBehind: () => Record<string, unknown>): Promise<void> {
    const { clock, shutdownGraceMs: graceMs } = this.#host.options;
    this.ended = ended;
    if (await settlesWithin(clock, graceMs, ended)) {
      this.status = 'stopped';
      return;
    }
    this.status = 'stuck';
    const facts = { ...leftBehind(), graceMs };
    this.log.logger.error(facts, 'work goes on although it was told to end: left behind');
  }

  async shutdown(reason: unknown): Promise<void> {
    const { clock, shutdownGraceMs: graceMs } = this.#host.options;
    const job = new Job(this.site);
    const hook = async () => {
      try {
        await this.call(() => this.#declaration.shutdownHook?.(job));
      } catch (error) {
        this.log.failure(error, 'the shutdown hook failed');
      }
    };
    if (await settlesWithin(clock, graceMs, hook())) return;
    this.abort(job, reason);
    this.log.logger.error({ graceMs }, 'the shutdown hook does not end: left behind');
  }

  /** See `FinalizerOwner.errorOn`. */
  errorOn(pointer: Pointer): ReportedError | undefined {
    return this.log.errorOn(pointer);
  }

  /** What of a report is the same for all kinds. */
  report() {
    const { name, status, scope } = this;
    const { lastError, lastActivity, counts } = this.log;
    return {
      name,
      status,
      lastError,
      lastActivity,
      counts: { ...counts },
      inputs: scope.inputs.map(inputReport),
      outputs: scope.outputs,
    };
  }
}

function inputReport({ kind, of }: DeclaredInput): InputReport {
  return { kind, namespace: of.namespace, type: of.type, id: 'id' in of ? of.id : undefined };
}
