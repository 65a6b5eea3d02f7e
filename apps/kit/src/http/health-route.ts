import type { Health } from '../health.js';
import { type Route, route } from './router.js';

/**
 * `/healthz`, for whoever starts and watches the app: 200 when it is ready, 503 with the reasons when it is not.
 *
 * @param isStarted whether all that belongs to the start is done
 */
export function healthRoute(health: () => Health, isStarted: () => boolean): Route {
  return route('GET', '/healthz', () => {
    const { ready, problems } = health();
    if (ready && isStarted()) return { status: 200, body: { status: 'ok' } };
    return {
      status: 503,
      body: { status: 'not ready', problems: isStarted() ? problems : [...problems, 'is starting'] },
    };
  });
}
