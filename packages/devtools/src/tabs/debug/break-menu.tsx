import type { AgentState } from '@vitrine/core';
import type { HubSource } from '@vitrine/inspect';
import type { BreakCondition, Breakpoint } from '@vitrine/core/types';
import type { ReactNode } from 'react';
import { Popover } from '../../kit/popover.tsx';
import { type Texts, useTexts } from '../../texts.ts';

/** The breakpoints of a session; none in a state that an older version wrote. */
export function breakpointsOf({ breakpoints }: AgentState): readonly Breakpoint[] {
  return (breakpoints as AgentState['breakpoints'] | undefined) ?? [];
}

const measureOf = { steps: 'maxSteps', tokens: 'maxTokens', seconds: 'maxSeconds', cost: 'maxCost' } as const;

const stepTypes = ['tool-execution', 'final-response', 'error'] as const;

/** A breakpoint has the id of its condition, so that setting it twice makes one. */
function idOf(on: BreakCondition): string {
  switch (on.type) {
    case 'tool':
      return `${on.isAfter === true ? 'after' : 'tool'}:${on.toolName}`.slice(0, 80);
    case 'step':
      return `step:${on.stepType}`;
    case 'budget':
      return `budget:${on.limit}`;
    case 'finding':
      return `finding:${on.code ?? ''}`;
    case 'next':
    case 'model':
      return on.type;
  }
}

export function nameOfCondition(on: BreakCondition, { debug, formats, measures }: Texts): string {
  switch (on.type) {
    case 'next':
      return debug.next;
    case 'model':
      return debug.model;
    case 'tool':
      return on.isAfter === true ? debug.toolAfter(on.toolName) : debug.tool(on.toolName);
    case 'step':
      return debug.stepTypes[on.stepType];
    case 'budget':
      return debug.budget(measures[measureOf[on.limit]], formats.number(on.left));
    case 'finding':
      return debug.finding(on.code);
  }
  return debug.other((on as { readonly type: string }).type);
}

/** The conditions that fit any step of an agent, also before its first run. */
export function conditionsOf({ agent }: HubSource): readonly BreakCondition[] {
  const { tools = [], plugins = [] } = agent?.() ?? {};
  return [
    { type: 'model' },
    ...stepTypes.map((stepType) => ({ type: 'step' as const, stepType })),
    { type: 'budget', limit: 'steps', left: 1 },
    { type: 'finding', code: null },
    ...[...tools, ...plugins.flatMap((plugin) => plugin.tools)].flatMap(({ name }) => conditionsOfCall(name)),
  ];
}

export function conditionsOfCall(toolName: string): readonly BreakCondition[] {
  return [
    { type: 'tool', toolName },
    { type: 'tool', toolName, isAfter: true },
  ];
}

type BreakMenuProps = { readonly source: HubSource; readonly conditions: readonly BreakCondition[] };

/** The button that sets and removes breakpoints. */
export function BreakMenu({ source, conditions }: BreakMenuProps): ReactNode {
  const texts = useTexts();
  const { debug } = texts;
  const { commands, journal } = source;
  if (commands?.setBreakpoint === undefined) return null;
  const standing = new Set(breakpointsOf(journal.state()).map(({ id }) => id));
  const toggle = (on: BreakCondition): void => {
    const id = idOf(on);
    const done = standing.has(id) ? commands.removeBreakpoint(id) : commands.setBreakpoint(on, { id });
    void done.catch(() => undefined);
  };
  return (
    <Popover label={debug.setLabel} mark={debug.set}>
      {(close) =>
        conditions.map((on) => (
          <button
            key={idOf(on)}
            aria-pressed={standing.has(idOf(on))}
            onClick={() => {
              toggle(on);
              close();
            }}
          >
            {nameOfCondition(on, texts)}
          </button>
        ))
      }
    </Popover>
  );
}
