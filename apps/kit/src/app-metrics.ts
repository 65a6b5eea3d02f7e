import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** Collects when it is asked to, and sends nothing by itself. */
class AskedReader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** What the app measures, for whoever comes and reads it. */
export class AppMetrics implements AsyncDisposable {
  readonly #reader = new AskedReader();
  readonly #provider = new MeterProvider({ readers: [this.#reader] });
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  #closing: Promise<void> | undefined;

  /** For what measures. Counts from then on, whoever reads. */
  meter(name: string) {
    return this.#provider.getMeter(name);
  }

  /** Everything as it is now, in the text format of Prometheus. Rejects with what a measuring callback threw. */
  async prometheus(): Promise<string> {
    const { resourceMetrics, errors } = await this.#reader.collect();
    if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => String(error)).join('; '));
    return this.#serializer.serialize(resourceMetrics);
  }

  /** Can be called any number of times. */
  close(): Promise<void> {
    this.#closing ??= this.#provider.shutdown();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
