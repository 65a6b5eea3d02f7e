/** What the transport writes its logs to: any logger with the call shape of pino. */
export interface Logger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = Object.freeze({ warn() {}, error() {} });

/** The logger, whatever it throws: there is nobody left to be told, and no call, watch or server may end because of it. */
export function sturdyLogger(logger: Logger): Logger {
  return {
    warn: (fields, message) => unlessItThrows(() => logger.warn(fields, message)),
    error: (fields, message) => unlessItThrows(() => logger.error(fields, message)),
  };
}

function unlessItThrows(log: () => void): void {
  try {
    log();
  } catch {
    // See above.
  }
}
