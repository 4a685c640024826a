import { vitrineTelemetry } from '@vitrine/devtools/ai-sdk';

export const GET = vitrineTelemetry().answer;
