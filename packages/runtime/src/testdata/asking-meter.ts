import type { Attributes, Meter, ObservableCallback } from '@opentelemetry/api';

/** A meter that asks when it is told to. */
export class AskingMeter {
  readonly callbacks = new Set<(result: never, observables: never) => void>();
  readonly meter = {
    createObservableCounter: (name: string) => ({ name }),
    createObservableGauge: (name: string) => ({ name }),
    addBatchObservableCallback: (callback: ObservableCallback) => void this.callbacks.add(callback as never),
    removeBatchObservableCallback: (callback: ObservableCallback) => void this.callbacks.delete(callback as never),
  } as unknown as Meter;

  ask(): Record<string, number> {
    const values: Record<string, number> = {};
    const observe = ({ name }: { name: string }, value: number, attributes: Attributes = {}) => {
      values[[name, ...Object.values(attributes)].join(' ')] = value;
    };
    for (const callback of this.callbacks) callback({ observe } as never, [] as never);
    return values;
  }
}
