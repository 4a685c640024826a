import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { shortMessageOf } from '@vitrine/core/internal/features/foreign-tools';

/** A tool for the agents of the browser. */
export type OfferedTool = {
  /** 1 to 128 letters, digits, `_`, `-` or `.`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly isReadOnly: boolean;
  /** Runs a call. The message of an error is its answer, which browsers would not pass on. */
  readonly execute: (input: unknown) => unknown;
};

/** A tool of the page as the browser lists it. */
export type PageTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema; earlier versions give it as text. */
  readonly inputSchema?: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean };
  readonly origin?: string;
};

/** The part of WebMCP that is used; it is not yet in the types of the DOM. */
export type ModelContext = {
  readonly registerTool: (tool: object, options: { readonly signal: AbortSignal }) => unknown;
  /** Chrome only. */
  readonly getTools?: () => Promise<readonly PageTool[]>;
  /** Chrome only. Resolves with a text, which is JSON for an object. */
  readonly executeTool?: (
    tool: PageTool,
    input: object,
    options: { readonly signal: AbortSignal },
  ) => Promise<unknown>;
};

type WithTools = { readonly modelContext?: ModelContext };

/** The context of the page; undefined in browsers without WebMCP and outside of pages. */
export function modelContext(): ModelContext | undefined {
  if (typeof document === 'undefined') return undefined;
  // Browsers with an early version have it at the navigator.
  return (document as WithTools).modelContext ?? (navigator as WithTools).modelContext;
}

/** The names of the tools that this library offers, which are no tools for its own agents. */
const own = new Set<string>();

/** True for a tool that `offerTools` has registered. */
export function isOwn(name: string): boolean {
  return own.has(name);
}

/**
 * Offers tools to the agents of the browser (WebMCP). Nothing happens in browsers without it, on pages whose policy
 * forbids tools, and for a tool whose name is taken.
 * @returns the function that takes the tools away
 */
export function offerTools(tools: readonly OfferedTool[]): () => void {
  const context = modelContext();
  if (context === undefined) return () => undefined;
  const ending = new AbortController();
  const names: string[] = [];
  for (const { name, description, inputSchema, isReadOnly, execute } of tools) {
    const registerTool = async (): Promise<unknown> =>
      context.registerTool(
        {
          name,
          description,
          inputSchema,
          annotations: { readOnlyHint: isReadOnly },
          execute: (input: unknown) => executeTool(execute, input),
        },
        { signal: ending.signal },
      );
    if (own.has(name)) continue;
    own.add(name);
    names.push(name);
    registerTool().catch(() => own.delete(name));
  }
  return () => {
    ending.abort();
    names.forEach((name) => own.delete(name));
  };
}

async function executeTool(execute: OfferedTool['execute'], input: unknown): Promise<unknown> {
  try {
    return await execute(input);
  } catch (thrown) {
    return { error: shortMessageOf(thrown) };
  }
}
