// The part of inspect that a page loads before the recorder.
export { type Heard, hearSources, type SourcesHeard } from './hear-sources.ts';
