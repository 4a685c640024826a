import { type Recorder, sessionHub } from '@vitrine/core/inspect';
import { questionsAbout } from '@vitrine/core/questions';

/** The part of WebMCP that is used; it is not yet in the types of the DOM. */
type ModelContext = {
  readonly registerTool: (tool: object, options: { readonly signal: AbortSignal }) => unknown;
};
type WithTools = { readonly modelContext?: ModelContext };

/**
 * Offers the questions about the agents of the page as tools to agents of the browser (WebMCP). In browsers without it
 * nothing happens.
 * @returns The function that takes the tools away.
 */
export function offerQuestions(recorder: Recorder): () => void {
  // Browsers with an early version have it at the navigator.
  const context = (document as WithTools).modelContext ?? (navigator as WithTools).modelContext;
  if (context === undefined) return () => undefined;
  const sessions = () =>
    sessionHub()
      .sources()
      .map((source) => ({ id: source.id, name: source.name, record: recorder.read(source) }));
  const ending = new AbortController();
  for (const { name, description, inputSchema, ask } of questionsAbout(sessions)) {
    const tool = {
      name: `vitrine.${name}`,
      description,
      inputSchema,
      annotations: { readOnlyHint: true },
      execute: async (input: unknown) => ask(input),
    };
    void offered(async () => context.registerTool(tool, { signal: ending.signal }));
  }
  return () => ending.abort();
}

/** A page whose policy forbids tools, or that has a tool of the same name, goes on without ours. */
async function offered(register: () => Promise<unknown>): Promise<void> {
  await register().catch(() => undefined);
}
