/** Writes one record: facts first, then what happened. */
export type LogFunction = (facts: object, message?: string) => void;

/** Any logger with the call shape of pino. Errors are given as the fact `err`. */
export interface Logger {
  readonly debug: LogFunction;
  readonly info: LogFunction;
  readonly warn: LogFunction;
  readonly error: LogFunction;
  /** A logger that adds the facts to every record. */
  child(facts: Record<string, unknown>): Logger;
}

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

/** Where {@link consoleLogger} writes: the host's console has it. */
export type LogConsole = Pick<Console, LogLevel>;

/** Writes records of the level and above to the console. */
export function consoleLogger(level: LogLevel = 'info', to: LogConsole = console): Logger {
  return boundLogger(level, to, {});
}

function boundLogger(level: LogLevel, to: LogConsole, bound: object): Logger {
  const at = (each: LogLevel): LogFunction => {
    if (levels.indexOf(each) < levels.indexOf(level)) return () => undefined;
    return (facts, message = '') => to[each](message, { ...bound, ...facts });
  };
  return Object.freeze({
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (facts: Record<string, unknown>) => boundLogger(level, to, { ...bound, ...facts }),
  });
}

/** The logger, except that what it throws ends up on the console: a runtime outlives its logger. */
export function guardedLogger(logger: Logger): Logger {
  const guard = (level: LogLevel) => (facts: object, message?: string) => {
    try {
      logger[level](facts, message);
    } catch (error) {
      complain('a logger failed on a record', error, facts, message);
    }
  };
  return Object.freeze({
    debug: guard('debug'),
    info: guard('info'),
    warn: guard('warn'),
    error: guard('error'),
    child(facts: Record<string, unknown>) {
      try {
        return guardedLogger(logger.child(facts));
      } catch (error) {
        complain('a logger has no child', error, facts);
        return guardedLogger(logger);
      }
    },
  });
}

/** What made the logger fail can be facts that nothing can print. */
function complain(what: string, ...about: readonly unknown[]): void {
  try {
    console.error(what, ...about);
  } catch {
    console.error(`${what}, which cannot be shown either`);
  }
}
