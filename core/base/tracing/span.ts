/** The spans of one process, and how a trace continues in another process. */
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

const tracer = trace.getTracer('sluice');
let traced = false;

/** Called when there is a collector. */
export function beginTracing(): void {
  traced = true;
}

/** Whether spans are recorded. */
export function isTracing(): boolean {
  return traced;
}

/** The context of a `traceparent` (W3C Trace Context); that of a new trace without one. */
function contextOf(traceparent: string | null | undefined): Context {
  if (typeof traceparent !== 'string') return ROOT_CONTEXT;
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

/** The `traceparent` of the current work, for another process; null without a trace. */
export function currentTraceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** The span of a request. */
export class RequestSpan {
  readonly #span: Span;
  readonly #context: Context;

  constructor(method: string, traceparent: string | undefined, requestId: string) {
    const parent = contextOf(traceparent);
    const attributes = { 'http.request.method': method, 'sluice.request_id': requestId };
    this.#span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    this.#context = trace.setSpan(parent, this.#span);
  }

  /** Runs work of the request, also after it awaits. */
  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  /** @param status null when the client disconnected before its answer */
  end(method: string, route: string, status: number | null): void {
    const span = this.#span;
    span.updateName(`${method} ${route}`);
    span.setAttribute('http.route', route);
    if (status === null) span.setAttribute('error.type', 'aborted');
    else span.setAttribute('http.response.status_code', status);
    if (status !== null && status >= 500) {
      span.setAttribute('error.type', String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

/** The attributes of the trace span that covers one attempt of a job. */
export interface TracedJob {
  readonly id: string;
  readonly kind: string;
  readonly attempt: number;
  readonly queue: string;
  readonly requestId: string | null;
  /** The `traceparent` of the request which submitted it. */
  readonly traceparent: string | null;
}

/**
 * Runs one delivery of a job as part of the trace of its request.
 * @param outcome names the result; `failed` and `retry` are errors
 */
export async function inJobSpan<T>(
  job: TracedJob,
  work: () => Promise<T>,
  outcome: (result: T) => string,
): Promise<T> {
  const parent = contextOf(job.traceparent);
  const attributes = {
    'messaging.operation.type': 'process',
    'messaging.destination.name': job.queue,
    'messaging.message.id': job.id,
    'sluice.job.kind': job.kind,
    'sluice.job.attempt': job.attempt,
    ...(job.requestId === null ? {} : { 'sluice.request_id': job.requestId }),
  };
  const options = { kind: SpanKind.CONSUMER, attributes };
  const span = tracer.startSpan(`process ${job.kind}`, options, parent);
  try {
    const result = await context.with(trace.setSpan(parent, span), work);
    const name = outcome(result);
    span.setAttribute('sluice.job.outcome', name);
    if (name !== 'done') span.setStatus({ code: SpanStatusCode.ERROR, message: name });
    return result;
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** The statement of a span, without values: they are parameters, or the text is omitted. */
function textOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !('text' in input)) return null;
  return typeof input.text === 'string' ? input.text : null;
}

function operationOf(input: unknown): string {
  const text = typeof input === 'string' ? input : (textOf(input) ?? '');
  return /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'statement';
}

/** The span of a statement that is sent now; null without a recorded parent span. */
export function beginStatement(pool: string, input: unknown): Span | null {
  if (trace.getActiveSpan()?.isRecording() !== true) return null;
  const text = textOf(input);
  const operation = operationOf(input);
  return tracer.startSpan(operation, {
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'sluice.pool': pool,
      ...(text === null ? {} : { 'db.query.text': text }),
    },
  });
}

/** @param code the SQLSTATE of its failure; null when it succeeded */
export function endStatement(span: Span, code: string | null): void {
  if (code !== null) {
    span.setAttribute('db.response.status_code', code);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
