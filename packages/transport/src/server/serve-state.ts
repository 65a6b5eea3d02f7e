import { createConnectRouter } from '@connectrpc/connect';
import { compressionGzip } from '@connectrpc/connect-node';
import { wire } from '@cosi-ts/proto';
import { type CoreState, sleep } from '@cosi-ts/state';
import { accessLogger } from './access-log.js';
import { isLocal } from './address.js';
import { Admission } from './admission.js';
import { callMetrics } from './call-metrics.js';
import { sturdyObserver } from './call-record.js';
import { stateService } from './connect-service.js';
import { Cors } from './cors.js';
import { GrpcCalls } from './grpc/grpc-calls.js';
import { stateHandlers } from './handlers.js';
import { healthService } from './health-service.js';
import { Listener } from './listener.js';
import { stateOperations } from './operations.js';
import { type ResolvedServeStateOptions, resolveServeStateOptions, type ServeStateOptions } from './options.js';
import { Outgoing } from './outgoing.js';
import { reflectionService, reflectionServiceV1alpha } from './reflection-service.js';
import { RequestListener } from './request-listener.js';
import { Service } from './service.js';
import { Shutdown } from './shutdown.js';
import type { TlsContents } from './tls-options.js';
import { TlsReloader } from './tls-reloader.js';

/** A state that is being served. */
export interface StateServer extends AsyncDisposable {
  /** As it was bound: `host:port` or `unix:path`. */
  readonly address: string;
  /** What clients connect to: `http://host:port`, `https://host:port` or `unix:path`. */
  readonly url: string;
  /**
   * Reads the files of certificates and keys again, without waiting until they are looked at, or takes the texts that
   * are given. Connections that are open keep what they have. Rejects when it cannot be used, or the server has no TLS;
   * it goes on with what it had.
   */
  reloadTls(contents?: TlsContents): Promise<void>;
  /**
   * Ends watches and refuses new calls, both as unavailable, waits for the other calls up to the drain time, and ends
   * the connections. The state stays open. Can be called any number of times.
   */
  close(): Promise<void>;
}

/** How long calls that had to be aborted have for saying so to their callers. */
const lastAnswersMs = 1000;

/** A response is compressed from this size on: never, because it costs more than loopback and local networks do. */
const neverCompress = 2 ** 32 - 1;

/** The services whose health can be asked for, and which reflection tells of. */
const services = [wire.State, wire.Health];

/**
 * Serves the state as `cosi.resource.State`: over gRPC, gRPC-Web and Connect, on HTTP/2 and HTTP/1.1, all in one place.
 * Beside it there are gRPC's health checking, which asks nobody who they are, and server reflection.
 *
 * Resolves when it listens. Rejects with `in-use` when something else listens there, with `invalid-argument` when
 * strangers could reach it and nobody would ask who they are, and with Node's error when it cannot listen for another
 * reason or the certificate cannot be used.
 *
 * Who may do what is not decided here: serve a state with a `filter`, whose rule sees who calls.
 */
export async function serveState(core: CoreState, options?: ServeStateOptions): Promise<StateServer> {
  const resolved = resolveServeStateOptions(options);
  const reloader = resolved.tls === undefined ? undefined : await TlsReloader.open(resolved.tls, resolved);
  const shutdown = new Shutdown();
  const { requests, grpc } = calls(core, shutdown, resolved);
  const listener = await Listener.open(
    resolved.address,
    { onRequest: requests.listen, takeStream: grpc.take },
    {
      ...resolved,
      tls: resolved.tls && reloader && { ...resolved.tls, context: reloader.context },
    },
  );
  reloader?.start((context) => listener.setSecureContext(context));
  warnOfStrangers(listener.address, resolved);
  return new RunningServer({ listener, requests, grpc, shutdown, reloader }, resolved);
}

function calls(core: CoreState, shutdown: Shutdown, options: ResolvedServeStateOptions) {
  const { accessLog, authenticate, clock, cors, logger, maxMessageBytes, meter, tls } = options;
  const operations = stateOperations(stateHandlers(core, new Outgoing(options), clock));
  const service = new Service(shutdown);
  const names = services.map(({ typeName }) => typeName);
  const router = createConnectRouter({
    readMaxBytes: maxMessageBytes,
    writeMaxBytes: maxMessageBytes,
    acceptCompression: [compressionGzip],
    compressMinBytes: neverCompress,
  })
    .service(wire.State, stateService(operations, service))
    .service(wire.Health, healthService(names, shutdown))
    .service(wire.ServerReflection, reflectionService([...services, wire.ServerReflection]))
    .service(wire.ServerReflectionV1alpha, reflectionServiceV1alpha([...services, wire.ServerReflectionV1alpha]));
  const openServices = [wire.Health.typeName];
  const requireClientCert = tls?.requireClientCert ?? false;
  const admission = new Admission({ authenticate, requireClientCert, openServices, clock, logger });
  const observers = [callMetrics(meter), ...(accessLog === undefined ? [] : [accessLogger(accessLog)])].map((each) =>
    sturdyObserver(each, logger),
  );
  return {
    requests: new RequestListener(router.handlers, { admission, cors: new Cors(cors), observers, clock, logger }),
    grpc: new GrpcCalls(operations, service, { admission, observers, maxMessageBytes, clock, logger }),
  };
}

function warnOfStrangers(address: string, options: ResolvedServeStateOptions): void {
  const { authenticate, logger, tls } = options;
  if (options.insecure || isLocal(options.address)) return;
  if (authenticate === undefined)
    logger.warn({ address }, 'the server can be reached from other machines, and asks nobody who they are');
  if (tls === undefined)
    logger.warn(
      { address },
      'the server can be reached from other machines, and what it sends and gets is not encrypted',
    );
}

interface ServerParts {
  readonly listener: Listener;
  readonly requests: RequestListener;
  readonly grpc: GrpcCalls;
  readonly shutdown: Shutdown;
  /** Undefined without TLS. */
  readonly reloader: TlsReloader | undefined;
}

class RunningServer implements StateServer {
  readonly address: string;
  readonly #parts: ServerParts;
  readonly #options: ResolvedServeStateOptions;
  #closing: Promise<void> | undefined;

  constructor(parts: ServerParts, options: ResolvedServeStateOptions) {
    this.address = parts.listener.address;
    this.#parts = parts;
    this.#options = options;
  }

  get url(): string {
    if ('path' in this.#options.address) return this.address;
    return `${this.#options.tls === undefined ? 'http' : 'https'}://${this.address}`;
  }

  async reloadTls(contents?: TlsContents): Promise<void> {
    const { reloader } = this.#parts;
    if (reloader === undefined) throw new TypeError('the server was started without tls');
    await reloader.reload(contents);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { listener, reloader, requests, shutdown } = this.#parts;
    reloader?.close();
    shutdown.close();
    requests.drain();
    listener.stop();
    await this.#within(this.#options.drainMs, this.#idle());
    shutdown.abort();
    await this.#within(
      lastAnswersMs,
      this.#idle().then(() => listener.drained()),
    );
    await listener.close();
    await this.#idle();
  }

  async #idle(): Promise<void> {
    const { requests, grpc } = this.#parts;
    await Promise.all([requests.idle(), grpc.idle()]);
  }

  /** Waits for the work, but not for longer. */
  async #within(limitMs: number, work: Promise<void>): Promise<void> {
    const done = new AbortController();
    const limit = sleep(this.#options.clock, limitMs, done.signal).catch(() => {});
    await Promise.race([work.then(() => done.abort()), limit]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
