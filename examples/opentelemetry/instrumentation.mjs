import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK } from '@opentelemetry/sdk-node';

const sdk = new NodeSDK({
  serviceName: 'server',
  traceExporter: new OTLPTraceExporter(),
  instrumentations: [
    // The files of the page are of no interest.
    new HttpInstrumentation({ ignoreIncomingRequestHook: ({ url }) => !url?.startsWith('/api/') }),
  ],
});
sdk.start();
