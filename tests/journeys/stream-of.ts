import type { Behaviour } from '../upstream/upstream.ts';

/** A text as an OpenAI-compatible server sends it, in pieces; `byWord` sends each word in a write of its own. */
export function streamOf(text: string, { byWord = false } = {}): Behaviour {
  const pieces = text.match(byWord ? /\s*\S+\s*/gu : /[\s\S]{1,500}/gu) ?? [];
  const choices = [
    ...pieces.map((content) => ({ index: 0, delta: { content } })),
    { index: 0, delta: {}, finish_reason: 'stop' },
  ];
  const events = choices.map(
    (choice) => `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [choice] })}\n\n`,
  );
  return { kind: 'answer', body: `${events.join('')}data: [DONE]\n\n`, size: byWord ? 90 : null };
}
