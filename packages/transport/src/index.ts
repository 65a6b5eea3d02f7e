export { connectState } from './client/connect-state.js';
export { type ConnectStateOptions, defaultConnectStateOptions } from './client/options.js';
export type { RemoteState } from './client/remote-state.js';
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
