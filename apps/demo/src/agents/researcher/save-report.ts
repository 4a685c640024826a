import { definePlugin, defineTool, type Plugin } from '@vitrine/core';
import * as z from 'zod/mini';

const report = z.object({
  title: z.string().check(z.minLength(1), z.maxLength(120)),
  audience: z.enum(['me', 'the team', 'everybody']).check(z.describe('For whom it is written')),
  text: z.string().check(z.minLength(1)),
});
/** A saved report. */
export type Report = z.infer<typeof report>;
const reportsState = z.object({ reports: z.array(report) });
type ReportsState = z.infer<typeof reportsState>;

const saveReport = defineTool({
  name: 'save_report',
  description:
    'Keeps what was found out as a report with a title. The person is asked before, and may change it.',
  input: report,
  output: report,
  needsApproval: () => ({ ask: 'The report will carry your name. Read it, and correct it if needed.' }),
  execute(input, ctx) {
    ctx.own<ReportsState>().update((state) => ({ reports: [...(state?.reports ?? []), input] }));
    return input;
  },
});

/** The plugin that keeps the reports of a session. */
export const reportsPlugin: Plugin<ReportsState> = definePlugin({
  id: 'reports',
  state: reportsState,
  initial: { reports: [] },
  tools: [saveReport],
});
