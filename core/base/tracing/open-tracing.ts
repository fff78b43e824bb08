/**
 * Sends traces to a collector (OTLP over HTTP) when OTEL_EXPORTER_OTLP_ENDPOINT is set. Everybody else
 * uses the API of OpenTelemetry, which does nothing until then.
 */
import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import type { Config } from '../config/variables.ts';
import type { Log } from '../log/log.ts';
import { warnThrottled } from '../log/throttled-warning.ts';
import { beginTracing } from './span.ts';

/** Longest time (ms) that the last spans of a process take to leave. */
const FLUSH_WITHIN_MS = 2_000;
/** Spans are collected for so long (ms) before they leave. */
const SEND_EVERY_MS = 1_000;
/** A span has no longer text than this; statements can be long. */
const MOST_OF_TEXT = 4_096;

/** Logs what the libraries complain about, such as a collector that does not answer. */
function logComplaints(log: Log): void {
  const warn = warnThrottled(log, 'traces could not be sent');
  const complain = (message: string) => warn(new Error(message.slice(0, MOST_OF_TEXT)));
  const ignore = () => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/**
 * Begins to trace this process; does nothing without a collector.
 * @param process its role, `edge` or `worker`, and its release
 * @returns sends what is left, within two seconds
 */
export async function openTracing(
  config: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG'>,
  { role, release, log }: { readonly role: string; readonly release: string; readonly log: Log },
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share } = config;
  if (endpoint === undefined) return async () => undefined;
  // They cost 0.1 s and some memory, so they are loaded where they are used.
  const [hooks, core, exporters, resources, sdk] = await Promise.all([
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ]);
  logComplaints(log);
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const own = resources.resourceFromAttributes({
    'service.name': `sluice-${role}`,
    'service.namespace': 'sluice',
    'service.version': release,
    'process.pid': process.pid,
  });
  // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME come first.
  const detected = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new sdk.TracerProvider({
    resource: own.merge(detected),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(share) }),
    spanLimits: { attributeValueLengthLimit: MOST_OF_TEXT },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new exporters.OTLPTraceExporter({ url }),
        scheduledDelayMillis: SEND_EVERY_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  beginTracing();
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_WITHIN_MS);
    });
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
  };
}
