/** What a store writes its logs to: any logger with the call shape of pino. Errors are given as the fact `err`. */
export interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Warnings and errors go to the console. */
export const consoleLogger: Logger = Object.freeze({
  info() {},
  warn: (facts: object, message: string) => console.warn(message, facts),
  error: (facts: object, message: string) => console.error(message, facts),
});
