import { describeIssues, namedIssues, parse, type Schema } from '../../agent/schema.ts';
import type { Tool } from '../../agent/tool.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { linkSignals } from '../../kit/async.ts';
import { isDevelopment } from '../../kit/freeze.ts';
import type { JsonValue } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';
import { userCode } from '../run.ts';
import { cutResult } from './batch.ts';
import type { Run } from '../slots.ts';

declare const process: { env: { NODE_ENV?: string } };

/**
 * Calls a tool within its time limit and returns its result as JSON, cut to the bytes that it may have. The output
 * schema runs before the result is stored.
 * @throws AgentError `tool-timeout` or `tool-output-invalid`, the tool's own error, or the signal's reason.
 */
export async function callTool(
  run: Run,
  tool: Tool,
  execute: (signal: AbortSignal) => unknown,
  signal: AbortSignal = run.signal,
): Promise<JsonValue> {
  const result = await withinTime(run, tool, execute, signal);
  const value = tool.output === null ? result : await validOutput(run, tool.name, tool.output, result);
  // The expression itself, so that a bundler leaves the warning out of a production build.
  const isReported = isDevelopment && process.env.NODE_ENV !== 'production';
  return cutResult(
    run,
    tool,
    toJson(value, isReported ? { onOpaque: (placeholder) => warnOf(tool, placeholder) } : {}),
  );
}

const warned = new WeakSet<Tool>();

/** Warns once about a tool whose result holds a value that the model reads as a name only, such as a Map. */
function warnOf(tool: Tool, placeholder: string): void {
  if (warned.has(tool)) return;
  warned.add(tool);
  // oxlint-disable-next-line no-console -- a mistake that needs no crash belongs in the console
  console.warn(
    `Vitrine: the result of the tool ${JSON.stringify(tool.name)} holds a value that JSON cannot hold, so the model reads ${placeholder} in its place. Return plain data: Object.fromEntries(map) for a Map, [...set] for a Set.`,
  );
}

/** Aborts the tool's own signal when its time is up, so that it can clean up. */
async function withinTime(
  run: Run,
  { name, timeoutMs }: Tool,
  execute: (signal: AbortSignal) => unknown,
  given: AbortSignal,
): Promise<unknown> {
  const author = `tool ${JSON.stringify(name)}`;
  if (timeoutMs === null)
    return userCode(run, author, () => execute(given), { signal: given, timeoutMs: null });
  const own = new AbortController();
  const cancel = run.env.schedule(timeoutMs, () => {
    const message = `Tool ${JSON.stringify(name)} did not finish within ${timeoutMs} ms.`;
    own.abort(new AgentError('tool-timeout', message, { data: { toolName: name, timeoutMs } }));
  });
  const { signal, release } = linkSignals([given, own.signal]);
  try {
    return await userCode(run, author, () => execute(signal), { signal, timeoutMs: null });
  } finally {
    cancel();
    release();
  }
}

async function validOutput(run: Run, toolName: string, schema: Schema, result: unknown): Promise<unknown> {
  const parsed = await userCode(run, `output schema of tool ${JSON.stringify(toolName)}`, () =>
    parse(schema, result),
  );
  if (parsed.ok) return parsed.value;
  const message = `Tool ${JSON.stringify(toolName)} returned an invalid result: ${describeIssues(parsed.issues)}`;
  throw new AgentError('tool-output-invalid', message, {
    data: { toolName, issues: namedIssues(parsed.issues) },
  });
}
