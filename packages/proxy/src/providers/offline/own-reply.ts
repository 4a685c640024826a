import type { InferenceRequest } from '@vitrine/core';
import { callNamed, searchFirst, takesQuery } from './named-tool.ts';
import { type OfflineReply, type OfflineTurn, readTurn } from './turn.ts';

/** Begins the first answer of a conversation, so that nobody takes the rules for a model. */
const notice = '*This is the offline demo model: it follows simple rules and needs no key.*\n\n';

/** Chooses the reply by simple rules over messages, results and tools. They know no particular agent. */
export function ownReply(request: InferenceRequest): OfflineReply {
  const turn = readTurn(request);
  const { asked, said, results, news } = turn;
  if (results.length > 0) return { text: news.map(describeResult).join('\n\n') };
  const begin = said.length === 1 ? notice : '';
  const call = callNamed(turn) ?? searchFirst(turn);
  if (call !== null) return { text: `${begin}Let me use \`${call.name}\` for that.`, toolCalls: [call] };
  const echo = asked.trim() === '' ? 'You sent no text.' : `You said: “${asked.trim().slice(0, 200)}”.`;
  return { text: `${begin}${echo}\n\n${abilities(turn)}` };
}

/** A text about what the model can do with these tools. */
function abilities({ request: { tools } }: OfflineTurn): string {
  const named = tools.filter((tool) => !takesQuery(tool)).map(({ name }) => `\`${name}\``);
  const list = [
    ...(tools.some(takesQuery) ? ['**search** (say for what)'] : []),
    ...(named.length > 0 ? [`call ${named.slice(0, 10).join(', ')} (say its name)`] : []),
  ];
  return `Offline I can ${list.join(', or ') || 'repeat what you say'}. Set an API key to talk to a real model.`;
}

function describeResult({ toolName, output, outcome }: OfflineTurn['results'][number]): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  if (outcome === 'rejected') return `You did not want \`${toolName}\` to run, so it did not.`;
  return `\`${toolName}\` ${outcome === 'completed' ? 'answered' : 'did not work'}: ${text}`;
}
