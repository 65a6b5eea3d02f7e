export { connectState } from './client/connect-state.js';
export { type ConnectStateOptions, defaultConnectStateOptions } from './client/options.js';
export type { RemoteState } from './client/remote-state.js';
export type { Logger } from './logger.js';
export { defaultServeStateOptions, type ServeStateOptions } from './server/options.js';
export { type StateServer, serveState } from './server/serve-state.js';
