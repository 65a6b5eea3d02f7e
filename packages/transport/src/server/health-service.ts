import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { linkSignals } from '../linked-signal.js';
import { noted, notedStream } from './noted.js';
import type { Shutdown } from './shutdown.js';
import { statusText } from './status-text.js';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = wire.HealthCheckResponse_ServingStatus;

/**
 * gRPC's health checking: serving, until the server begins to shut down.
 *
 * @param services the full names of the services that are known; the empty name is known, too
 */
export function healthService(services: readonly string[], shutdown: Shutdown): ServiceImpl<typeof wire.Health> {
  const isKnown = (service: string) => service === '' || services.includes(service);
  const status = () => (shutdown.closing.stopped ? NOT_SERVING : SERVING);
  const watch = async function* (service: string, signal: AbortSignal) {
    const known = isKnown(service);
    yield { status: known ? status() : SERVICE_UNKNOWN };
    if (!shutdown.closing.stopped) await closingOrGone(shutdown, signal);
    if (signal.aborted) throw new ConnectError('the caller has gone', Code.Canceled);
    if (known) yield { status: NOT_SERVING };
    throw new ConnectError('the server is shutting down', Code.Unavailable);
  };
  return {
    check: ({ service }, context) =>
      noted(context, () => {
        if (isKnown(service)) return { status: status() };
        throw new ConnectError(statusText(`there is no service ${service}`), Code.NotFound);
      }),
    watch: ({ service }, context) => notedStream(context, watch(service, context.signal)),
  };
}

function closingOrGone(shutdown: Shutdown, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const linked = linkSignals(signal, shutdown.closing);
    const done = () => {
      linked.unlink();
      resolve();
    };
    if (linked.signal.aborted) done();
    else linked.signal.addEventListener('abort', done, { once: true });
  });
}
