/** A time between two bounds, drawn anew each time, in milliseconds. */
export interface Span {
  readonly minMs: number;
  readonly maxMs: number;
}

/** How simulated machines behave. */
export interface SimulationOptions {
  /** How long a machine boots. Default: 1.5 to 4 s. */
  readonly boot?: Span;
  /** How long it takes to shut down. Default: 0.4 to 1.2 s. */
  readonly shutdown?: Span;
  /** Which part of the attempts to boot fails, from 0 to 1. Default: 0. */
  readonly bootFailureRate?: number;
  /** How often a running machine stops by itself, on average, in times an hour. Default: 0. */
  readonly stopsPerHour?: number;
}

export const defaultSimulation: Required<SimulationOptions> = Object.freeze({
  boot: Object.freeze({ minMs: 1500, maxMs: 4000 }),
  shutdown: Object.freeze({ minMs: 400, maxMs: 1200 }),
  bootFailureRate: 0,
  stopsPerHour: 0,
});

/** Throws a `RangeError` that names the option. */
export function resolveSimulation(options: SimulationOptions = {}): Required<SimulationOptions> {
  const resolved = { ...defaultSimulation, ...options };
  for (const name of ['boot', 'shutdown'] as const) {
    const { minMs, maxMs } = resolved[name];
    if (!(minMs >= 0 && maxMs >= minMs && Number.isFinite(maxMs))) {
      throw new RangeError(`simulation.${name} cannot be from ${minMs} to ${maxMs} ms`);
    }
  }
  const { bootFailureRate, stopsPerHour } = resolved;
  if (!(bootFailureRate >= 0 && bootFailureRate <= 1)) {
    throw new RangeError(`simulation.bootFailureRate must be from 0 to 1, not ${bootFailureRate}`);
  }
  if (!(stopsPerHour >= 0 && Number.isFinite(stopsPerHour))) {
    throw new RangeError(`simulation.stopsPerHour must be a number from 0 on, not ${stopsPerHour}`);
  }
  return Object.freeze(resolved);
}
