import { vitrineTelemetry } from '@vitrine/ai-sdk/observe';
import { registerTelemetry } from 'ai';

export function register() {
  registerTelemetry(vitrineTelemetry());
}
