export { connectState } from './client/connect-state.js';
export { DeadlineExceededError } from './client/deadline-exceeded.js';
export type { ClientTls, ClientTlsOptions, Pem } from './client/node/tls-options.js';
export {
  type ConnectStateOptions,
  defaultConnectStateOptions,
  type KeepaliveOptions,
  type ResolvedConnectStateOptions,
} from './client/options.js';
export type { TimeoutOptions } from './client/remote-core.js';
export type { RemoteStateOptions } from './client/remote-options.js';
export type { RemoteState } from './client/remote-state.js';
export type { TokenRequest, TokenSource } from './client/tokens.js';
export type { Logger } from './logger.js';
export type { AccessLog } from './server/access-log.js';
export {
  type Authenticator,
  type CertificateIdentityOptions,
  certificateIdentity,
  firstOf,
  type UnknownCall,
} from './server/authenticator.js';
export { type BearerTokens, bearerTokens, type TokenIdentities } from './server/bearer-tokens.js';
export type { ClientCertificate } from './server/client-certificate.js';
export type { CorsOptions } from './server/cors.js';
export { defaultServeStateOptions, type ServeStateOptions } from './server/options.js';
export { type StateServer, serveState } from './server/serve-state.js';
export type { ServerTlsOptions, TlsContents, TlsFiles } from './server/tls-options.js';
