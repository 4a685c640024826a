// What a page that is looked at begins with, before the recorder is loaded.
export { type Heard, hearSources, type SourcesHeard } from './hear-sources.ts';
