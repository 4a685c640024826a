import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type AskedSession, questionsAbout } from '@vitrine/inspect';
import { blameTool } from './blame.ts';
import { readSessions } from './read-trace.ts';
import type { WatchedPage } from './watch-page.ts';

/** The traces and pages that are asked about. */
export type Asked = {
  /** Files of traces and recordings. */
  readonly files: readonly string[];
  /** The live sessions of pages; null for traces only. */
  readonly page: WatchedPage | null;
  /** The agent of experiments, as file#export; null for none. */
  readonly agent: string | null;
};

/**
 * Serves questions about traces and live sessions to a coding agent, as tools of an MCP server on standard input and
 * output. A file is read again for each question, so that a new export is seen.
 */
export async function serveQuestions(asked: Asked, version: string): Promise<void> {
  let sessions = await sessionsOf(asked);
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
      (input: unknown) =>
        answerBy(async () => {
          sessions = await sessionsOf(asked);
          if (sessions.length === 0 && asked.page !== null) throw new Error(withoutSessions(asked.page));
          const answer = ask(input);
          return { ...resultOf(answer), structuredContent: { ...answer } };
        }),
    );
  if (asked.agent !== null) offerBlame(server, asked.agent, () => sessionsOf(asked));
  // The client ends the program by closing its input; connected pages would keep it alive.
  process.stdin.once('end', () => asked.page?.close());
  await server.connect(new StdioServerTransport());
}

/** Offers experiments. They ask the agent's model, and have no effect. */
function offerBlame(
  server: McpServer,
  agentAt: string,
  sessions: () => Promise<readonly AskedSession[]>,
): void {
  const { name, description, inputSchema, ask } = blameTool(agentAt);
  server.registerTool(
    name,
    {
      description,
      inputSchema: fromJsonSchema<Parameters<typeof ask>[1]>(inputSchema),
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    (input) => answerBy(async () => resultOf(await ask(await sessions(), input))),
  );
}

type Result = { content: [{ type: 'text'; text: string }]; isError?: true };

function resultOf(answer: unknown): Result {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
}

/** The answer to a question, or the sentence of its error. */
async function answerBy(ask: () => Promise<Result>): Promise<Result> {
  return ask().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: 'text', text }], isError: true };
  });
}

/** The sentence for a coding agent while there is no session, with the line that connects a page. */
function withoutSessions({ isConnected, address }: WatchedPage): string {
  if (isConnected()) return 'The page is connected, and has no session yet.';
  return `No page is connected. Let the page run this in development, before its first message: import { localChannel, shareSessions } from '@vitrine/inspect'; shareSessions(localChannel('${address}'));`;
}

async function sessionsOf({ files, page }: Asked): Promise<AskedSession[]> {
  const traces = await Promise.all(
    files.map(async (file) => {
      const all = await readSessions(file);
      const only = files.length === 1 ? 'trace' : file;
      return all.map(({ name, record }, index) => ({
        id: all.length === 1 ? only : `${file}#${index + 1}`,
        name,
        record,
      }));
    }),
  );
  return [...traces.flat(), ...(page?.sessions() ?? [])];
}
