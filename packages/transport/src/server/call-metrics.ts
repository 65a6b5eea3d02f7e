import { type Meter, metrics } from '@opentelemetry/api';
import type { CallObserver } from './call-record.js';

/** In seconds: most calls take less than a millisecond, watches take days. */
const boundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600];

/** Counts calls, for whoever collects. The provider must be set by then: it gives instruments once. */
export function callMetrics(meter: Meter = metrics.getMeter('@cosi-ts/transport')): CallObserver {
  const calls = meter.createCounter('cosi.server.calls', { description: 'Calls that ended' });
  const durations = meter.createHistogram('cosi.server.call.duration', {
    description: 'How long calls took',
    unit: 's',
    advice: { explicitBucketBoundaries: boundaries },
  });
  const active = meter.createUpDownCounter('cosi.server.active_calls', { description: 'Calls in progress' });
  const messages = meter.createCounter('cosi.server.messages', { description: 'Messages sent' });
  const bytes = meter.createCounter('cosi.server.bytes', {
    description: 'Bytes of requests and responses',
    unit: 'By',
  });
  return {
    begun({ rpc }) {
      active.add(1, { rpc });
    },
    ended({ rpc, status, messages: sent, bytesReceived, bytesSent }, durationMs) {
      active.add(-1, { rpc });
      calls.add(1, { rpc, status });
      durations.record(durationMs / 1000, { rpc, status });
      if (sent > 0) messages.add(sent, { rpc });
      if (bytesReceived > 0) bytes.add(bytesReceived, { rpc, direction: 'received' });
      if (bytesSent > 0) bytes.add(bytesSent, { rpc, direction: 'sent' });
    },
  };
}
