import { finish, sseText } from '../sse-events.ts';

/**
 * An upstream in the page: it asks for a tool in `steps` answers and then ends, each as server-sent events. What a
 * browser does to send a request is left out: Chromium takes one to two milliseconds to bring one to another process,
 * and up to seven to encode the body of step 5,000, whoever sends it. The answer is read as a stream.
 */
export function localFetch(steps: number): typeof fetch {
  let answered = 0;
  return async (_input, init) => {
    init?.signal?.throwIfAborted();
    if (typeof init?.body !== 'string') throw new Error('The request has no text for a body.');
    return new Response(answer(++answered, steps), { headers: { 'content-type': 'text/event-stream' } });
  };
}

function answer(number: number, steps: number): string {
  const isLast = number > steps;
  const call = { type: 'tool-call', toolCallId: `call_${number}`, toolName: 'echo', input: { n: number } };
  const events = [
    { type: 'start', id: `response_${number}`, model: 'bench:model' },
    { type: 'text-delta', delta: isLast ? 'Done.' : `Step ${number}: ` },
    ...(isLast ? [] : [{ type: 'text-delta', delta: 'I look that up.' }, call]),
    finish(isLast ? 'stop' : 'tool-calls'),
  ];
  return sseText(events, 0);
}
