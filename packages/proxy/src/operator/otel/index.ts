export { tracedModels, type TraceOptions } from './traced-models.ts';
export type { GenAiConventions } from './conventions.ts';
