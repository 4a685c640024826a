import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type AskedSession, questionsAbout } from '@vitrine/core/questions';
import { readTrace } from './read-trace.ts';

/**
 * Serves questions about traces to a coding agent, as tools of an MCP server on standard input and output. A file is
 * read again for each question, so that a new export is seen.
 */
export async function serveQuestions(files: readonly string[], version: string): Promise<void> {
  let sessions = await sessionsOf(files);
  const server = new McpServer({ name: 'vitrine', version });
  for (const { name, description, inputSchema, outputSchema, ask } of questionsAbout(() => sessions))
    server.registerTool(
      name,
      {
        description,
        inputSchema: fromJsonSchema(inputSchema),
        outputSchema: fromJsonSchema(outputSchema),
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      async (input: unknown) => {
        try {
          sessions = await sessionsOf(files);
          const answer = ask(input);
          return {
            content: [{ type: 'text', text: JSON.stringify(answer) }],
            structuredContent: { ...answer },
          };
        } catch (error) {
          const text = error instanceof Error ? error.message : String(error);
          return { content: [{ type: 'text', text }], isError: true };
        }
      },
    );
  await server.connect(new StdioServerTransport());
}

async function sessionsOf(files: readonly string[]): Promise<AskedSession[]> {
  return Promise.all(
    files.map(async (file) => {
      const { name, record } = await readTrace(file);
      return { id: files.length === 1 ? 'trace' : file, name, record };
    }),
  );
}
