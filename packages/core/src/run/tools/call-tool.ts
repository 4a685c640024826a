import { describeIssues, parse } from '../../agent/parse.ts';
import type { Schema } from '../../agent/schema.ts';
import type { Tool } from '../../agent/tool.ts';
import { linkSignals } from '../../kit/async.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { JsonValue } from '../../kit/json.ts';
import { toJson } from '../../kit/to-json.ts';
import { type Run, userCode } from '../run.ts';

/**
 * Calls a tool within its time limit and returns its result as JSON. The output schema runs before the
 * result is stored.
 * @throws AgentError `tool-timeout` or `tool-output-invalid`, the tool's own error, or the run's reason to
 * end.
 */
export async function callTool(
  run: Run,
  tool: Tool,
  key: string,
  execute: (signal: AbortSignal) => unknown,
  output: Schema | null = tool.output,
): Promise<JsonValue> {
  const result = await withinTime(run, tool, (signal) => run.perform(key, () => execute(signal)));
  return toJson(output === null ? result : await validOutput(run, tool.name, output, result));
}

/** Aborts the tool's own signal when its time is up, so that it can clean up. */
async function withinTime(
  run: Run,
  { name, timeoutMs }: Tool,
  execute: (signal: AbortSignal) => unknown,
): Promise<unknown> {
  const author = `tool ${JSON.stringify(name)}`;
  if (timeoutMs === null) return userCode(run, author, () => execute(run.signal), { timeoutMs: null });
  const own = new AbortController();
  const cancel = run.env.schedule(timeoutMs, () => {
    const message = `Tool ${JSON.stringify(name)} did not finish within ${timeoutMs} ms.`;
    own.abort(new AgentError('tool-timeout', message, { data: { toolName: name, timeoutMs } }));
  });
  const { signal, release } = linkSignals([run.signal, own.signal]);
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
  throw new AgentError('tool-output-invalid', message, { data: { toolName, issues: parsed.issues } });
}
