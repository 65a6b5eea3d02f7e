/** What the transport writes its logs to: any logger with the call shape of pino. */
export interface Logger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = Object.freeze({ warn() {}, error() {} });
