import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { isDelegationTool } from '@vitrine/core/internal/agent/delegation-tool';
import { steps, stopReason } from '@vitrine/core/internal/graph/agent-state/accessors';
import { isTrace, type Message, text } from '@vitrine/core/internal/graph/message';
import { inputMessages } from '@vitrine/core/internal/graph/sent';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import { everyAgentOf, everyCallOf } from '../agents-of.ts';
import { diagnose } from '../findings/diagnose.ts';
import type { ForkEdit } from '../fork-runs.ts';
import type { ForkSwitch } from '../fork-switches.ts';
import { leftOut } from '../left-out.ts';
import { redactText } from '../redact.ts';
import type { ReadJournal } from '../replay/journal-document.ts';
import { type Expectation, leavesOf } from './expectation.ts';

/** One change of a run, to be tried. */
export type Variant = {
  /** Its name behind "with", such as ``hook `save-tokens` off``. */
  readonly name: string;
  readonly edit: ForkEdit;
};

/** The variants of a run, the most suspicious first, and what cannot be tried. */
export type Proposed = {
  readonly variants: readonly Variant[];
  /** Changes that no fork can make, with the reason. */
  readonly impossible: readonly string[];
};

/** The ranks of suspicion: a finding names it, it acted in the record, it may have, it did nothing there. */
const rank = { named: 0, acted: 1, possible: 2, idle: 3 } as const;
type Ranked = Variant & { readonly rank: number };
const variantOf = (name: string, edit: ForkEdit, suspicion: number): Ranked => ({
  name,
  edit,
  rank: suspicion,
});

/** Most messages that are put back or left out one by one, paragraphs of the prompt, and models of the client. */
const [mostMessages, mostParagraphs, mostModels] = [4, 8, 3];
/** Longest state of a plugin, as JSON, that the model is told. */
const longestState = 4000;

const isLost = 'the record has the cut one, and a tool that is not idempotent is not run';

type Wanted = { readonly expectation: Expectation; readonly models: readonly string[] | undefined };

/** Proposes the variants of a recorded run. Each changes one thing. */
export async function proposeVariants(
  journal: ReadJournal,
  end: AgentState,
  agent: AgentDefinition,
  { expectation, models }: Wanted,
): Promise<Proposed> {
  const findings = diagnose(journal);
  const named = new Set(
    findings.flatMap(({ evidence: { who, writers = [] } }) => [who, ...writers.map((writer) => writer.who)]),
  );
  const acted = authorsIn(journal.events);
  const rankOf = (name: string): number =>
    named.has(name) ? rank.named : acted.has(name) ? rank.acted : rank.idle;
  const agents = everyAgentOf(agent);
  const own = agents.flatMap(({ tools }) => tools);
  const missing = missingMessages(end);
  const compiling = missing.length > 0 ? rank.acted : rank.possible;
  // Without its tool an agent never calls it: that says nothing.
  const expected = new Set(
    leavesOf(expectation).map((leaf) =>
      'neverCalls' in leaf ? leaf.neverCalls.tool : 'calls' in leaf && leaf.calls.tool,
    ),
  );
  const isExpected = (tools: readonly { readonly name: string }[]): boolean =>
    tools.some(({ name }) => expected.has(name));
  const called = new Set(
    journal.events.flatMap((event) => (event.type === 'tool-call' ? [event.toolName] : [])),
  );
  const settings = [...agents, end].flatMap(({ llmConfig }) => Object.keys(llmConfig?.settings ?? {}));
  const cuts = findings.flatMap(({ code, evidence }) => (code === 'result-cut' ? [evidence.who ?? ''] : []));
  const cut = [...new Set(cuts)];
  const isIdempotent = (name: string | undefined): boolean =>
    own.some((tool) => tool.name === name && tool.effects === 'idempotent');
  const suspicionOf = (name: string): number => (called.has(name) ? rank.possible + 0.5 : rank.idle);
  const found = [
    ...offVariants(agents, rankOf, isExpected),
    agents.some(({ compileMessages }) => compileMessages !== null) &&
      plainVariant('compiler', 'the compiler of messages off', compiling),
    ...putBackVariants(missing),
    ...proposeResults(end).map(({ tool, name, edit }) =>
      variantOf(name, edit, named.has(tool) ? rank.named : rank.possible),
    ),
    ...cut
      .filter(isIdempotent)
      .map((name) => variantOf(`the whole result of \`${name}\``, { whole: [name] }, rank.named)),
    ...settings.map((name) => offVariant('setting', name, rank.acted)),
    stopReason(end)?.endsWith('-limit-reached') === true &&
      plainVariant('budget', 'the budget of the run off', rank.named),
    agents.some(({ responseFormat, responseSchema }) => (responseFormat ?? responseSchema) !== null) &&
      plainVariant('format', 'the format of the answer off', rank.possible),
    ...(models ?? (await otherModels(agent, end))).map((model) =>
      variantOf(`model \`${model}\``, { model }, models === undefined ? rank.idle + 1 : rank.possible),
    ),
    ...leaveOutVariants(end),
    ...promptVariants(end.context.systemPrompt || agent.systemPrompt, journal.base),
    ...own
      .filter((tool) => !isExpected([tool]) && !isDelegationTool(tool))
      .map(({ name }) => offVariant('tool', name, suspicionOf(name))),
  ];
  const names = new Set<string>();
  const variants = found
    .filter((one) => one !== false)
    .filter(({ name }) => !names.has(name) && names.add(name))
    .sort((a, b) => a.rank - b.rank)
    .map(({ name, edit }) => ({ name, edit }));
  const lost = cut.filter((name) => !isIdempotent(name));
  const impossible = lost.map((name) => `the whole result of \`${name}\`: ${isLost}`);
  return { variants, impossible };
}

function offVariant(kind: ForkSwitch['kind'], name: string, suspicion: number): Ranked {
  const how = kind === 'setting' ? 'at its default' : 'off';
  return variantOf(`${kind} \`${name}\` ${how}`, { without: [{ kind, name }] }, suspicion);
}

/** Each hook off, and each plugin with its hooks. Hooks with effects run in no fork. */
function offVariants(
  agents: readonly AgentDefinition[],
  rankOf: (name: string) => number,
  isExpected: (tools: readonly { readonly name: string }[]) => boolean,
): readonly Ranked[] {
  const plugins = agents.flatMap((agent) => agent.plugins);
  const ofPlugins = new Set(plugins.flatMap(({ hooks }) => hooks));
  const hooks = agents
    .flatMap((agent) => agent.hooks)
    .filter((hook) => hook.effects !== 'once' && !ofPlugins.has(hook));
  return [
    ...hooks.map(({ name }) => offVariant('hook', name, rankOf(name))),
    ...plugins
      .filter(({ tools }) => !isExpected(tools))
      .map(({ id, hooks: own }) => {
        const ranks = [id, ...own.map(({ name }) => name)].map(rankOf);
        return offVariant('plugin', id, Math.min(rank.possible, ...ranks));
      }),
  ];
}

function plainVariant(kind: ForkSwitch['kind'], name: string, suspicion: number): Ranked {
  return { name, edit: { without: [{ kind }] }, rank: suspicion };
}

/** A few models that the client of an agent knows besides the one that the run asked. */
async function otherModels({ inference }: AgentDefinition, end: AgentState): Promise<readonly string[]> {
  const asked = steps(end)[0]?.sent?.model ?? null;
  const others = (await inference.otherModels?.(asked).catch(() => [])) ?? [];
  return others.slice(0, mostModels);
}

/** The hooks, plugins and tools that the record names as authors of changes. */
function authorsIn(events: readonly AgentChange[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const event of events) {
    if ('source' in event && typeof event.source === 'string') names.add(event.source);
    if ('hook' in event && typeof event.hook === 'string') names.add(event.hook);
    if (event.type === 'stop-signal' && event.signal.source !== null) names.add(event.signal.source);
    if (event.type !== 'inference-start') continue;
    if (event.replaced !== undefined) names.add(event.replaced.hook);
    for (const id of Object.keys(event.contributions ?? {})) names.add(id);
  }
  return names;
}

/** The messages that some step did not send as they are in the state. */
function missingMessages(end: AgentState): readonly Message[] {
  const found = steps(end).flatMap((step) => leftOut(end, step));
  const byId = new Map(found.map(({ message }) => [message.id, message]));
  return [...byId.values()].filter(({ role }) => role !== 'system');
}

function putBackVariants(missing: readonly Message[]): readonly Ranked[] {
  const back = (name: string, messages: readonly Message[], suspicion: number): Ranked[] =>
    messages.length === 0
      ? []
      : [variantOf(`${name} put back`, { putBack: messages.map(({ id }) => String(id)) }, suspicion)];
  // A call and its result stand in two messages, and only both can be sent.
  const traces = missing.filter((message) => isTrace(message) || message.role === 'tool');
  const others = missing.filter((message) => !traces.includes(message));
  return [
    ...(others.length > mostMessages
      ? back(`the ${others.length} messages that were left out`, others, rank.acted)
      : others.flatMap((message) => back(nameOf(message), [message], rank.acted))),
    ...back('the calls and results of earlier runs', traces, rank.possible),
  ];
}

/** The earlier messages of the person and of the agent, latest first, each left out. */
function leaveOutVariants(end: AgentState): readonly Ranked[] {
  const first = steps(end)[0];
  const sent = first === undefined ? [] : inputMessages(end, first).filter((message) => !isTrace(message));
  const last = sent.findLastIndex(({ role }) => role === 'user');
  return sent
    .slice(0, Math.max(0, last))
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .slice(-mostMessages)
    .reverse()
    .map((message) => ({
      name: `${nameOf(message)} left out`,
      edit: { without: [{ kind: 'message', name: message.id }] },
      rank: rank.possible,
    }));
}

/** Each paragraph of the prompt left out (each sentence of a single one), and what plugins knew at the beginning told. */
function promptVariants(prompt: string, { plugins }: AgentState): readonly Ranked[] {
  const paragraphs = prompt.split('\n\n').filter((part) => part.trim() !== '');
  const parts = paragraphs.length > 1 ? paragraphs : prompt.split(/(?<=[.!?])\s+/);
  const out = parts.length < 2 ? [] : parts.slice(-mostParagraphs).reverse();
  const known = Object.entries(plugins)
    .map(([id, { data }]) => ({ id, told: JSON.stringify(data) }))
    .filter(({ told: { length } }) => length > 2 && length <= longestState);
  return [
    ...out.map((part) => {
      const systemPrompt = prompt.replace(part, () => '');
      return variantOf(
        `the words ${quoteWords(part)} of the prompt left out`,
        { systemPrompt },
        rank.possible,
      );
    }),
    ...known.map(({ id, told }) => {
      const systemPrompt = `${prompt}\n\nState of ${id}: ${told}`;
      return variantOf(`the state of plugin \`${id}\` told to the model`, { systemPrompt }, rank.possible);
    }),
  ];
}

/** A message by its file, or by its first words. */
function nameOf(message: Message): string {
  const file = message.parts.find((part) => part.type === 'file');
  if (file?.type === 'file' && file.filename !== null)
    return `the message with the file \`${file.filename}\``;
  return `the message ${quoteWords(text(message))}`;
}

function quoteWords(whole: string): string {
  const words = redactText(whole, 'message').replaceAll(/\s+/g, ' ').trim();
  return `"${words.length > 40 ? `${words.slice(0, 40)}…` : words}"`;
}

type Change = (value: JsonValue, field: string) => JsonValue;
type ResultVariant = { readonly tool: string; readonly name: string; readonly edit: ForkEdit };

const figureIn =
  (fields: RegExp, change: (figure: number) => number): Change =>
  (value, field) =>
    typeof value === 'number' && fields.test(field) ? change(value) : value;
// Leading zeros belong to ids.
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;
const money = /amount|price|total|cost|fee|balance|sum|salary|cents?$/i;
const heat = /temp|degrees?|fahrenheit/i;
/** The changes of the values of a result. A figure in a wrong unit is wrong by one of them. */
const changes: readonly (readonly [name: string, change: Change])[] = [
  ['numbers as numbers', (value) => (number.test(String(value)) ? Number(value) : value)],
  ['amounts in hundreds', figureIn(money, (cents) => cents / 100)],
  ['temperatures in °C', figureIn(heat, (fahrenheit) => Math.round(((fahrenheit - 32) * 50) / 9) / 10)],
  ['values left out', () => null],
];

/** Proposes other results of the tools that a run called. */
function proposeResults(end: AgentState): readonly ResultVariant[] {
  const calls = everyCallOf(end).filter(
    ({ status, childState }) => status === 'completed' && childState === null,
  );
  return [...new Set(calls.map(({ toolCall }) => toolCall.name))].flatMap((tool) =>
    changes.flatMap(([what, change]) => {
      const own = calls.filter(({ toolCall }) => toolCall.name === tool);
      const given = own.map(({ id, result = null }) => [id, withValues(result, change), result] as const);
      if (given.every(([, changed, result]) => equalJson(changed, result))) return [];
      const edit = { results: Object.fromEntries(given) };
      return [{ tool, name: `the ${what} in the result of \`${tool}\``, edit }];
    }),
  );
}

/** A copy of a result with other texts and numbers. */
function withValues(result: JsonValue, change: Change): JsonValue {
  return JSON.parse(JSON.stringify(result), (field, value: JsonValue) =>
    typeof value === 'object' && value !== null ? value : change(value, field),
  ) as JsonValue;
}
