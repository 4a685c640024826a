import { vitrineTelemetry } from '@vitrine/ai-sdk/observe';

export const GET = vitrineTelemetry().answer;
