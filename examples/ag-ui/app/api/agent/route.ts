import type { RunAgentInput } from '@ag-ui/core';
import { EventEncoder } from '@ag-ui/encoder';
import { run } from './agent';

export async function POST(request: Request) {
  const input: RunAgentInput = await request.json();
  const events = run(input, request.signal);
  const encoder = new EventEncoder();
  const body = new ReadableStream<string>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': encoder.getContentType() },
  });
}
