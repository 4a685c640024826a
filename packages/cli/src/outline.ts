import { AgentState, AgentStep, type Message } from '@vitrine/core';
import { redact } from '@vitrine/inspect';

/** Levels of subagents that are shown. */
const deepest = 20;

/** The course of a run, line by line, without ids and times, so that two runs can be compared. */
export function outline(state: AgentState): string[] {
  return [
    ...linesOf(state, '', deepest),
    `status: ${AgentState.status(state) ?? 'not run'}`,
    `why it stopped: ${AgentState.stopReason(state) ?? 'it did not'}`,
  ];
}

function linesOf(state: AgentState, agent: string, depth: number): string[] {
  return AgentState.steps(state).flatMap((step, index) => {
    const where = `${agent}step ${index + 1}`;
    const sent = AgentStep.request(state, step);
    return [
      ...(sent === null
        ? []
        : [
            `${where}, model: ${sent.model ?? 'the default'}`,
            ...texts(`${where}, system prompt`, sent.systemPrompt),
            `${where}, tools: ${json(namesOf(sent.tools))}`,
            ...sent.messages.flatMap((message, at) =>
              texts(`${where}, message ${at + 1} (${message.role})`, contentOf(message)),
            ),
          ]),
      ...texts(`${where}, answer`, AgentStep.responseText(step)),
      ...(step.inferenceResponse === null ? [] : [`${where}, end: ${step.inferenceResponse.finishReason}`]),
      ...step.toolExecutions.flatMap(({ toolCall, status, childState, ...call }) => [
        `${where}, call of ${toolCall.name}: ${json(toolCall.input)}`,
        ...(childState === null || depth === 0 ? [] : linesOf(childState, `${where} > `, depth - 1)),
        `${where}, ${toolCall.name} ${status}: ${json('result' in call ? call.result : (call.error?.message ?? null))}`,
      ]),
      ...step.errors.map(({ code, message }) => `${where}, error ${code ?? ''}: ${message}`),
    ];
  });
}

/** One line of output for each line of a text. */
function texts(where: string, text: string): string[] {
  return (redact(text) as string).split('\n').map((line) => `${where}: ${line}`);
}

function contentOf({ parts }: Message): string {
  return parts
    .map((part) => {
      if (part.type === 'text' || part.type === 'reasoning') return part.text;
      if (part.type === 'tool-call') return `calls ${part.toolName} ${json(part.input)}`;
      if (part.type === 'tool-result') return `${part.toolName} ${part.outcome} ${json(part.output)}`;
      return json(part.type === 'file' ? { file: part.mediaType, name: part.filename } : part);
    })
    .join('\n');
}

function namesOf(tools: unknown): unknown {
  return Array.isArray(tools) ? tools.map((tool: { readonly name?: unknown }) => tool.name) : tools;
}

function json(value: unknown): string {
  return JSON.stringify(redact(value)) ?? 'nothing';
}
