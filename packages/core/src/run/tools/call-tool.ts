import type { JsonValue } from '../../kit/json.ts';
import { notJsonPath } from '../../kit/not-json-path.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { describeIssues, parse, type Schema } from '../../agent/schema.ts';
import type { Tool, ToolContext } from '../../agent/tool.ts';
import { linkSignals, orAborted } from '../../kit/abort.ts';

/** Runs a tool within its time and returns its validated result. */
export async function callTool(tool: Tool, input: unknown, ctx: ToolContext): Promise<JsonValue> {
  const result = await withTimeout(tool, ctx, (own) => executed(tool, input, own));
  const value = tool.output === null ? result : await validOutput(tool.name, tool.output, result);
  if (value === undefined) return null;
  const path = notJsonPath(value);
  if (path === null) return value as JsonValue;
  throw new AgentError(
    'tool-output-invalid',
    `Tool ${JSON.stringify(tool.name)} returned something that JSON cannot hold${path && ` at ${path}`}.`,
    {
      data: { toolName: tool.name, path },
    },
  );
}

function executed({ name, execute }: Tool, input: unknown, ctx: ToolContext): unknown {
  if (execute !== null) return execute(input, ctx);
  throw new AgentError('tool-failed', `Tool ${JSON.stringify(name)} is answered by the user interface.`);
}

async function withTimeout(
  tool: Tool,
  ctx: ToolContext,
  execute: (ctx: ToolContext) => unknown,
): Promise<unknown> {
  if (tool.timeoutMs === null)
    return orAborted(
      Promise.resolve().then(() => execute(ctx)),
      ctx.signal,
    );
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    const message = `Tool ${JSON.stringify(tool.name)} did not finish within ${tool.timeoutMs} ms.`;
    timeout.abort(
      new AgentError('tool-timeout', message, { data: { toolName: tool.name, timeoutMs: tool.timeoutMs } }),
    );
  }, tool.timeoutMs);
  const { signal, release } = linkSignals([ctx.signal, timeout.signal]);
  try {
    return await orAborted(
      Promise.resolve().then(() => execute({ ...ctx, signal })),
      signal,
    );
  } finally {
    clearTimeout(timer);
    release();
  }
}

async function validOutput(toolName: string, schema: Schema, result: unknown): Promise<unknown> {
  const parsed = await parse(schema, result);
  if (parsed.ok) return parsed.value;
  const message = `Tool ${JSON.stringify(toolName)} returned an invalid result: ${describeIssues(parsed.issues)}`;
  throw new AgentError('tool-output-invalid', message, { data: { toolName, issues: parsed.issues } });
}
