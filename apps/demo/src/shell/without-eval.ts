import * as z from 'zod/mini';

// The page may not make functions of text; without this zod finds that out by trying, which browsers report.
z.config({ jitless: true });
