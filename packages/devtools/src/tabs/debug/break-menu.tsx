import { contentHash } from '@vitrine/core/internal/kit/hash';
import { isPlainObject, readJson } from '@vitrine/core/internal/kit/json';
import type { HubSource } from '@vitrine/inspect';
import type { BreakCondition } from '@vitrine/core/types';
import { type ReactNode, useState } from 'react';
import { preview } from '../../kit/format.ts';
import { Problem } from '../../kit/notice.tsx';
import { Popover } from '../../kit/popover.tsx';
import { type Texts, useTexts } from '../../texts.ts';
import { offeredTools } from './editable.ts';

const measureOf = { steps: 'maxSteps', tokens: 'maxTokens', seconds: 'maxSeconds', cost: 'maxCost' } as const;

const stepTypes = ['tool-execution', 'final-response', 'error'] as const;

/** A breakpoint has the id of its condition, so that setting it twice makes one. */
function idOf(on: BreakCondition): string {
  return contentHash(JSON.stringify(on));
}

export function nameOfCondition(on: BreakCondition, texts: Texts): string {
  const input = 'input' in on && on.input ? preview(on.input, ['input'], 60) : null;
  const agent = ('agent' in on && on.agent) || null;
  return texts.debug.narrowed(nameOfType(on, texts), input, agent);
}

function nameOfType(on: BreakCondition, { debug, formats, measures }: Texts): string {
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
    case 'cost':
      return debug.cost(formats.cost(on.over));
    case 'finding':
      return debug.finding(on.code);
  }
  return debug.other((on as { readonly type: string }).type);
}

/** The conditions that fit any step of an agent, also before its first run. */
export function conditionsOf({ agent }: HubSource): readonly BreakCondition[] {
  return [
    { type: 'model' },
    ...stepTypes.map((stepType) => ({ type: 'step' as const, stepType })),
    { type: 'budget', limit: 'steps', left: 1 },
    { type: 'finding', code: null },
    ...[...new Set(offeredTools(agent?.() ?? null).map(({ name }) => name))].flatMap(conditionsOfCall),
  ];
}

export function conditionsOfCall(toolName: string): readonly BreakCondition[] {
  return [
    { type: 'tool', toolName },
    { type: 'tool', toolName, isAfter: true },
  ];
}

type BreakMenuProps = { readonly source: HubSource; readonly conditions: readonly BreakCondition[] };

const unnarrowed = { input: '', agent: '', cost: '' };

/** The button that sets and removes breakpoints; fields below them narrow those that are about calls. */
export function BreakMenu({ source, conditions }: BreakMenuProps): ReactNode {
  const texts = useTexts();
  const { debug, edits } = texts;
  const [only, setOnly] = useState(unnarrowed);
  const { commands, journal } = source;
  if (commands?.setBreakpoint === undefined) return null;
  const standing = new Set(journal.state().breakpoints.map(({ id }) => id));
  const toggle = (on: BreakCondition): void => {
    const id = idOf(on);
    const done = standing.has(id) ? commands.removeBreakpoint(id) : commands.setBreakpoint(on, { id });
    void done.catch(() => undefined);
  };
  const narrowed = narrow(conditions, only);
  return (
    <Popover label={debug.setLabel} mark={debug.set}>
      {(close) => (
        <>
          {(narrowed ?? conditions).map((on) => (
            <button
              key={idOf(on)}
              aria-pressed={standing.has(idOf(on))}
              disabled={narrowed === null}
              onClick={() => {
                toggle(on);
                setOnly(unnarrowed);
                close();
              }}
            >
              {nameOfCondition(on, texts)}
            </button>
          ))}
          {(['input', 'agent', 'cost'] as const).map((name) => (
            <label key={name}>
              {debug.only[name]}{' '}
              <input
                type={name === 'cost' ? 'number' : 'text'}
                min="0"
                step="any"
                value={only[name]}
                onChange={({ target }) => setOnly({ ...only, [name]: target.value })}
              />
            </label>
          ))}
          <Problem text={narrowed === null ? edits.notJson : ''} />
        </>
      )}
    </Popover>
  );
}

/** The conditions for some calls only, and one for a cost; null while the arguments are no JSON object. */
function narrow(
  conditions: readonly BreakCondition[],
  { input, agent, cost }: typeof unnarrowed,
): readonly BreakCondition[] | null {
  const read = input.trim() === '' ? null : readJson(input);
  if (read !== null && !(read.ok && isPlainObject(read.value))) return null;
  const narrowed = conditions.map((on) => {
    const fields = { ...(agent && { agent }), ...(read && on.type === 'tool' && { input: read.value }) };
    return on.type === 'model' || on.type === 'tool' ? ({ ...on, ...fields } as BreakCondition) : on;
  });
  return cost === '' ? narrowed : [...narrowed, { type: 'cost', over: Number(cost) }];
}
