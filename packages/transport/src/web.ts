export { DeadlineExceededError } from './client/deadline-exceeded.js';
export type { TimeoutOptions } from './client/remote-core.js';
export type { RemoteStateOptions } from './client/remote-options.js';
export type { RemoteState } from './client/remote-state.js';
export type { TokenRequest, TokenSource } from './client/tokens.js';
export { type ConnectStateOptions, connectState } from './client/web/connect-state.js';
export type { Logger } from './logger.js';
