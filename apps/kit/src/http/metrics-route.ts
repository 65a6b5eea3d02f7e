import type { AppMetrics } from '../app-metrics.js';
import { type ApiRequest, type Route, route } from './router.js';

/** `/metrics`, for Prometheus. */
export function metricsRoute(metrics: AppMetrics): Route {
  return route('GET', '/metrics', async ({ raw, response }: ApiRequest) => {
    const text = await metrics.prometheus();
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(raw.method === 'HEAD' ? undefined : text);
    return undefined;
  });
}
