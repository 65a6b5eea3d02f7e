import type { LogFunction, Logger } from '@cosi-ts/runtime';

/**
 * The logger of an engine that lives as long as one run: without the complaint that the event loop was held up, which has
 * the fact `heldMs`. Such an engine does most of its work once, while its modules are loaded and compiled, so that on a
 * busy machine the complaint says nothing that whoever started the run could change.
 */
export function withoutHolds(logger: Logger): Logger {
  const warn: LogFunction = (facts, message) => {
    if (!Object.hasOwn(facts, 'heldMs')) logger.warn(facts, message);
  };
  return {
    debug: (facts, message) => logger.debug(facts, message),
    info: (facts, message) => logger.info(facts, message),
    warn,
    error: (facts, message) => logger.error(facts, message),
    child: (facts) => withoutHolds(logger.child(facts)),
  };
}
