// The page may not make functions of text; without this zod finds that out by trying, which browsers report. What
// `z.config({ jitless: true })` does, before there is any zod: it comes after the page.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
