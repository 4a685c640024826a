// The module of all detectors, which is loaded after the panel is shown.
export { diagnoseInSlices } from '@vitrine/inspect/internal/findings/diagnose';
export { watchFindings } from '@vitrine/inspect/internal/findings/watch-findings';
