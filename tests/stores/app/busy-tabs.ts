import {
  AgentState,
  type AgentSession as Session,
  createAgentSession,
  defineAgent,
  defineTool,
  type InferenceClient,
  type InferenceRequest,
  Message,
} from '@vitrine/core';
import { indexedDBSessions } from '@vitrine/persist';
import { scriptedInference, type ScriptedStep } from '@vitrine/testing';

// A tab in which anything may be asked, of one session that other tabs have open too.

/** The requests to a tab. */
export type TabAct =
  | 'talk'
  | 'pay'
  | 'answer'
  | 'refuse'
  | 'stop'
  | 'edit'
  | 'regenerate'
  | 'rename'
  | 'draft'
  | 'update'
  | 'resume'
  | 'clear-error';

/** The view of a tab. */
export type TabShown = {
  readonly state: string;
  readonly status: string;
  readonly rest: string;
  readonly isAtRest: boolean;
  /** Everything that a person has said, by the id of its message: in the line that is shown, in those that were left, and in the queue. */
  readonly said: readonly (readonly [string, string])[];
  /** The calls that ended well. */
  readonly completed: readonly string[];
};

const stepMs = 10;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const replies: Readonly<Record<string, ScriptedStep>> = {
  talk: { text: 'Some words of an answer', chunks: 6 },
  pay: {
    toolCalls: [
      { name: 'pay', input: {} },
      { name: 'note', input: {} },
    ],
  },
};

function reply({ messages }: InferenceRequest): ScriptedStep {
  const last = messages.at(-1);
  if (last === undefined || last.role === 'tool') return { text: 'That is done', chunks: 3 };
  return replies[Message.text(last).split(' ')[0] ?? ''] ?? { text: 'Other words', chunks: 4 };
}

function slowInference(): InferenceClient {
  const script = scriptedInference([reply]);
  return {
    async *stream(request, options) {
      for await (const event of script.stream(request, options)) {
        await sleep(stepMs);
        yield event;
      }
    },
  };
}

/** Its tools have their effect once; the test counts them. */
function tool(name: string, needsApproval: boolean): ReturnType<typeof defineTool> {
  return defineTool({
    name,
    description: '',
    input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    inputSchema: { type: 'object' },
    needsApproval,
    async execute(_input, { toolCallId }) {
      await globalThis.onEffect(toolCallId);
      await sleep(stepMs);
      return 'done';
    },
  });
}

export function openBusy(): Session {
  const tools = [tool('pay', true), tool('note', false)];
  const agent = defineAgent({ name: 'agent', systemPrompt: '', inference: slowInference(), tools });
  const sessions = indexedDBSessions({ name: 'busy' });
  return createAgentSession({ agent, sessions, sessionId: 'a', resume: true });
}

/** Asks for it, and tells the test when that is settled; false when there is nothing to ask for. */
export function act(session: Session, what: TabAct, words: string, id: string): boolean {
  const asked = ask(session, what, words);
  if (asked === null) return false;
  asked.then(
    (turn) => void globalThis.onSettled(id, (turn as { status?: string } | undefined)?.status ?? 'done'),
    (thrown: unknown) => void globalThis.onSettled(id, `rejected: ${String(thrown)}`),
  );
  return true;
}

/** Null when there is nothing to ask for. */
function ask(session: Session, what: TabAct, words: string): Promise<unknown> | null {
  const { state } = session.store.getState();
  const last = AgentState.messages(state).findLast(({ role }) => role === 'user');
  switch (what) {
    case 'talk':
    case 'pay':
      return session.sendMessage(words);
    case 'answer':
    case 'refuse':
      return answer(session, what === 'answer');
    case 'edit':
      return last === undefined ? null : session.edit(last.id, words);
    case 'regenerate':
      return session.regenerate();
    case 'rename':
      return session.rename(words);
    case 'update':
      return session.update((given) => given);
    case 'stop':
      return session.stop();
    case 'resume':
      return session.resume();
    case 'draft':
      session.setDraft(words);
      return null;
    case 'clear-error':
      session.clearError();
      return null;
  }
}

function answer(session: Session, isApproved: boolean): Promise<unknown> {
  const calls = AgentState.pendingApprovals(session.store.getState().state);
  return Promise.all(calls.map(({ id }) => (isApproved ? session.approve(id) : session.reject(id))));
}

export function shown(session: Session): TabShown {
  const { state, tree, title, status, queue, error } = session.store.getState();
  const lines = [state, ...tree.branches.map((branch) => branch.state)].flatMap(AgentState.messages);
  const users = lines.filter(({ role }) => role === 'user');
  const said = [
    ...users.map((message) => [message.id, Message.text(message)] as const),
    ...queue.map(({ id, text }) => [id, text] as const),
  ];
  const results = lines.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'));
  return {
    state: JSON.stringify(AgentState.toJSON(state)),
    status,
    rest: JSON.stringify({ title, status, queue, error }),
    isAtRest: status === 'ready' && queue.length === 0 && AgentState.pendingApprovals(state).length === 0,
    said: [...new Map(said)],
    completed: results.filter(({ outcome }) => outcome === 'completed').map(({ toolCallId }) => toolCallId),
  };
}

declare global {
  var busy: { readonly open: typeof openBusy; readonly act: typeof act; readonly shown: typeof shown };
  /** The test hears of it. */
  var onEffect: (toolCallId: string) => Promise<void>;
  var onSettled: (id: string, status: string) => Promise<void>;
}
globalThis.busy = { open: openBusy, act, shown };
