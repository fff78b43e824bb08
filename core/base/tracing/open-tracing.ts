/**
 * Sends traces to a collector (OTLP over HTTP) when OTEL_EXPORTER_OTLP_ENDPOINT is set. All other
 * code uses the API of OpenTelemetry, which does nothing until then.
 */
import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import type { Config } from '../config/variables.ts';
import type { Log } from '../log/log.ts';
import { warnThrottled } from '../log/throttled-warning.ts';
import { beginTracing } from './span.ts';

/** The maximum time (ms) for sending the last spans of a process. */
const FLUSH_WITHIN_MS = 2_000;
/** Spans are batched for this time (ms). */
const SEND_EVERY_MS = 1_000;
/** The maximum length of texts in a span, because statements can be long. */
const MOST_OF_TEXT = 4_096;

/** Logs warnings of the libraries, such as a collector that does not answer. */
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
 * Starts tracing this process; does nothing without a collector.
 * @param process its role, `edge` or `worker`, and its release
 * @returns a function that sends the remaining spans, within two seconds
 */
export async function openTracing(
  config: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG'>,
  { role, release, log }: { readonly role: string; readonly release: string; readonly log: Log },
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: share } = config;
  if (endpoint === undefined) return async () => undefined;
  // They cost 0.1 s and some memory, so they are loaded only when needed.
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
  // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence.
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
