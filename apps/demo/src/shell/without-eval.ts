// The page's policy forbids functions created from text. zod would probe for that, which browsers report.
// This sets `z.config({ jitless: true })` before zod loads with later code.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
