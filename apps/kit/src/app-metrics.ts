import type { Meter } from '@opentelemetry/api';
import type { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** What the app measures, for whoever comes and reads it. */
export class AppMetrics implements AsyncDisposable {
  readonly #reader: MetricReader;
  readonly #provider: MeterProvider;
  readonly #serializer: PrometheusSerializer;
  #closing: Promise<void> | undefined;

  private constructor(reader: MetricReader, provider: MeterProvider, serializer: PrometheusSerializer) {
    this.#reader = reader;
    this.#provider = provider;
    this.#serializer = serializer;
  }

  /** Loads what measures: commands of the app that measure nothing do not wait for it. */
  static async open(): Promise<AppMetrics> {
    const [{ PrometheusSerializer }, { MeterProvider, MetricReader }] = await Promise.all([
      import('@opentelemetry/exporter-prometheus'),
      import('@opentelemetry/sdk-metrics'),
    ]);
    /** Collects when it is asked to, and sends nothing by itself. */
    class AskedReader extends MetricReader {
      protected async onForceFlush(): Promise<void> {}
      protected async onShutdown(): Promise<void> {}
    }
    const reader = new AskedReader();
    const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
    return new AppMetrics(reader, new MeterProvider({ readers: [reader] }), serializer);
  }

  /** For what measures. Counts from then on, whoever reads. */
  meter(name: string): Meter {
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
