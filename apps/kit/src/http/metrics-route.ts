import type { AppMetrics } from '../app-metrics.js';
import { type Route, route } from './router.js';
import { sendText } from './send-text.js';

/** `/metrics`, for Prometheus. */
export function metricsRoute(metrics: AppMetrics): Route {
  return route('GET', '/metrics', async (request) =>
    sendText(request, 'text/plain; version=0.0.4', await metrics.prometheus()),
  );
}
