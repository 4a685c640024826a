import { type Recorder, sessionHub, questionsAbout } from '@vitrine/inspect';
import { offerTools } from '@vitrine/web-mcp';

/**
 * Offers the questions about the agents of the page as tools to agents of the browser (WebMCP). In browsers without it
 * nothing happens.
 * @returns The function that takes the tools away.
 */
export function offerQuestions(recorder: Recorder): () => void {
  const sessions = () =>
    sessionHub()
      .sources()
      .map((source) => ({ id: source.id, name: source.name, record: recorder.read(source) }));
  return offerTools(
    questionsAbout(sessions).map(({ name, description, inputSchema, ask }) => ({
      name: `vitrine.${name}`,
      description,
      inputSchema,
      isReadOnly: true,
      execute: ask,
    })),
  );
}
