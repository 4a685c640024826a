import { vitrineTelemetry } from '@vitrine/devtools/ai-sdk';
import { registerTelemetry } from 'ai';

export function register() {
  registerTelemetry(vitrineTelemetry());
}
