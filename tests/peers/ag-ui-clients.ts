import { HttpAgent } from '@ag-ui/client';
import { HttpAgent as OldHttpAgent } from 'ag-ui-client-0';
import { expect } from 'vitest';
import { type AgentSession, AgentState } from '@vitrine/core';

export type Event = { readonly type: string; readonly [field: string]: unknown };
/** An event of a stream with its id. */
export type Frame = { readonly id: string; readonly event: Event };

export function framesIn(text: string): Frame[] {
  return [...text.matchAll(/id: (.*)\ndata: (.*)\n\n/g)].map(([, id, data]) => ({
    id: String(id),
    event: JSON.parse(String(data)) as Event,
  }));
}

export function textOfFrames(frames: readonly Frame[]): string {
  return frames.map(({ id, event }) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** The official clients of both versions. */
export const clients = [
  ['1.0.0', HttpAgent],
  ['0.0.59', OldHttpAgent as unknown as typeof HttpAgent],
] as const;

/** The messages without what a client does not get in a stream. Results of a step come in the order of their ends. */
export function plain(messages: readonly object[]): unknown[] {
  const callIn = (one: object): string => ('toolCallId' in one ? String(one.toolCallId) : '');
  const results = (list: readonly object[]): readonly object[] =>
    list.toSorted((a, b) => callIn(a).localeCompare(callIn(b)));
  const ordered = messages.flatMap((message, at) => {
    if (!('toolCallId' in message)) return [message];
    if (at > 0 && 'toolCallId' in messages[at - 1]!) return [];
    const end = messages.findIndex((one, place) => place > at && !('toolCallId' in one));
    return results(messages.slice(at, end < 0 ? undefined : end).map((one) => ({ ...one, id: '' })));
  });
  return ordered.map((message) => {
    const { id, role, content, toolCalls, toolCallId } = message as Record<string, unknown>;
    return {
      role,
      content: content ?? '',
      ...(role === 'assistant' && Array.isArray(toolCalls) ? { toolCalls } : {}),
      ...(role === 'tool' ? { toolCallId } : role === 'user' ? {} : { id }),
    };
  });
}

/** The messages of a client. Reasoning that the session has no more stays there, by the rules of the client. */
export function keptBy<Known extends { readonly id: string; readonly role: string }>(
  { messages }: HttpAgent,
  told: readonly Known[],
): readonly Known[] {
  const ids = new Set(told.map(({ id }) => id));
  return (messages as readonly { readonly id: string; readonly role: string }[] as readonly Known[]).filter(
    ({ id, role }) => role !== 'reasoning' || ids.has(id),
  );
}

/** The messages that a client shows. An answer without text and calls is told by no event. */
export function shown<Known extends object>(messages: readonly Known[]): readonly Known[] {
  return messages.filter((message) => {
    const { role, content = '' } = message as { readonly role?: string; readonly content?: string };
    return role !== 'assistant' || content !== '' || 'toolCalls' in message;
  });
}

export type Owned = { readonly subagentRunId?: string };

/** The messages of the agent, and of each subagent by its run. */
export function byOwner(messages: readonly object[]): object {
  const all = messages as readonly Owned[];
  const owners = new Set(all.map(({ subagentRunId }) => subagentRunId));
  return Object.fromEntries(
    [...owners].map((owner) => [
      owner ?? '',
      plain(all.filter(({ subagentRunId }) => subagentRunId === owner)),
    ]),
  );
}

/** The client of a run whose stream is cut and joined; its own rules hold for the whole as for one stream. */
export async function joined(
  Client: typeof HttpAgent,
  told: string,
  { before, options }: { readonly before: object; readonly options: object },
): Promise<HttpAgent> {
  const client = new Client({ url: 'http://localhost/agent', ...structuredClone(before) });
  Object.assign(client, {
    fetch: async () => new Response(told, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const error: unknown = await client.runAgent(structuredClone(options)).catch((thrown: unknown) => thrown);
  expect(String(error), told).not.toMatch(/Cannot send|First event/);
  return client;
}

type Asked = { readonly status: string; readonly id: string };

/** The answers of a client to the calls that wait. */
export function answersTo(
  session: AgentSession,
  client: HttpAgent,
  approve: boolean,
  edit: boolean,
): object[] {
  const asked: readonly Asked[] = AgentState.pendingApprovals(session.store.getState().state);
  for (const { id, status } of asked) {
    if (status !== 'awaiting-output') continue;
    const caller = client.messages.find(
      (one) => 'toolCalls' in one && one.toolCalls?.some((call) => call.id === id),
    );
    // A hook may have removed the message with the call.
    const { subagentRunId } = (caller ?? {}) as Owned;
    const tag = subagentRunId === undefined ? {} : { subagentRunId };
    client.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: id, content: 'given', ...tag });
  }
  const payload = { approved: approve, ...(edit ? { editedArgs: { edited: true } } : {}) };
  return client.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload }));
}

/** A cut of a stream behind some more events; with `dies` the process of the backend is replaced too. */
export type Cut = { readonly after: number; readonly dies: boolean };

type Request = (url: string, init: RequestInit) => Promise<Response>;

/** The fetch of a client whose streams are cut, and go on behind the last event that came. */
export function cutFetch(request: Request, cuts: readonly Cut[], replace: () => void | Promise<void>) {
  let [at, lost] = [0, 0];

  async function* eventsOf(url: string, init: RequestInit): AsyncGenerator<string> {
    let response = await request(url, init);
    for (let last = ''; ;) {
      if (!response.ok) {
        lost++;
        throw new Error(await response.text());
      }
      const cut = cuts[at++];
      let left = cut?.after ?? Infinity;
      for await (const frame of framesOf(response)) {
        last = framesIn(frame)[0]!.id;
        yield frame;
        if (--left === 0) break;
      }
      if (left > 0) return;
      // What was told to its end is over, whatever becomes of the process.
      if (cut?.dies === true && !last.endsWith('.end')) await replace();
      response = await request(url, { headers: { 'last-event-id': last } });
    }
  }

  return {
    async fetch(url: string, init: RequestInit) {
      const events = eventsOf(url, init);
      const body = new ReadableStream<string>({
        async pull(controller) {
          const { done, value } = await events.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
      });
      return new Response(body.pipeThrough(new TextEncoderStream()), {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
    /** Number of runs of which the backend knew nothing. */
    lost: () => lost,
  };
}

async function* framesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split(/(?<=\n\n)/);
    rest = frames.at(-1)!.endsWith('\n\n') ? '' : frames.pop()!;
    yield* frames;
  }
}
