import { AgentState, type ToolExecution } from '@vitrine/core';
import { placeOfBreak } from '@vitrine/core/internal/run/release-break';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import type { HubSource } from '@vitrine/inspect';
import type { AgentBreak, BreakEdit } from '@vitrine/core/types';
import { type ReactNode, useContext, useState } from 'react';
import { css } from '../../kit/css.ts';
import { IsRunning } from '../../kit/contexts.ts';
import { Problem } from '../../kit/notice.tsx';
import { nameAt } from '../../kit/name-at.ts';
import { useTexts } from '../../texts.ts';
import { nameOfCondition } from './break-menu.tsx';
import { editablesAt, ofCall } from './editable.ts';
import { EditForm } from './edit-form.tsx';
import type { SessionCommands } from '@vitrine/core/internal/session/agent-session';
import { preview } from '../../kit/format.ts';

type BreakBarProps = { readonly source: HubSource; readonly state: AgentState };

/** The places at which a run waits, with the ways on, and the breakpoints of the session. */
export function BreakBar({ source, state }: BreakBarProps): ReactNode {
  const texts = useTexts();
  const { debug } = texts;
  const hits = AgentState.status(state) === 'in-progress' ? AgentState.breakHits(state) : [];
  const breakpoints = state.breakpoints.filter(({ isOnce }) => !isOnce);
  const { commands } = source;
  const waits = hits.length + breakpoints.length + heldCalls(state).length;
  if (commands?.releaseWith === undefined || waits === 0) return null;
  return (
    <div className="break-bar stacked near" role="region" aria-label={debug.label}>
      {hits.map((hit) => (
        <Wait key={JSON.stringify(placeOfBreak(hit))} source={source} state={state} hit={hit} />
      ))}
      <HeldCalls state={state} commands={commands} />
      {breakpoints.length > 0 && (
        <ul
          className="breakpoints plain-list wrapping near"
          aria-label={debug.breakpoints(breakpoints.length)}
        >
          {breakpoints.map(({ id, on }) => {
            const name = nameOfCondition(on, texts);
            return (
              <li key={id}>
                <button
                  className="break-chip"
                  aria-label={debug.remove(name)}
                  title={debug.remove(name)}
                  onClick={() => void commands.removeBreakpoint(id).catch(() => undefined)}
                >
                  <span className="break-dot" aria-hidden="true" /> {name} <span aria-hidden="true">×</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** The button that pauses a run while it works, before its next call. */
export function PauseButton({ source: { commands }, state }: BreakBarProps): ReactNode {
  const { debug } = useTexts();
  const isWorking = useContext(IsRunning) === true && AgentState.status(state) === 'in-progress';
  // Another copy of the library on the page may be older.
  if (!isWorking || commands?.pause === undefined) return null;
  return (
    <button className="pause" onClick={() => void commands.pause().catch(() => undefined)}>
      {debug.pause}
    </button>
  );
}

type WaitProps = Pick<BreakBarProps, 'state'> & {
  readonly source: Pick<HubSource, 'commands' | 'agent'>;
  readonly hit: AgentBreak;
};

/** One agent that waits, with the ways on. */
export function Wait({ source, state, hit }: WaitProps): ReactNode {
  const texts = useTexts();
  const { debug } = texts;
  const [isEditing, setEditing] = useState(false);
  const [problem, setProblem] = useState('');
  const agent = stateAtPath(state, hit.path);
  const { commands } = source;
  if (commands === undefined || agent === null) return null;
  const place = placeOfBreak(hit);
  const go = async (edit?: BreakEdit): Promise<string | null> => {
    const { stepOver, releaseWith } = commands;
    const { status, error } = await (edit === undefined ? stepOver({ place }) : releaseWith(edit, { place }));
    return status === 'refused' ? debug.refused(error?.message ?? '') : null;
  };
  const press = (edit?: BreakEdit): void => void go(edit).then((found) => setProblem(found ?? ''));
  const calls = AgentState.currentStep(agent)?.toolExecutions ?? [];
  const tool = calls.find(({ id }) => id === hit.at.toolCallId)?.toolCall.name ?? null;
  return (
    <div className="break-hit beside wrapping">
      <p className="sentence">
        <span className="break-dot" aria-hidden="true" />{' '}
        {debug.waits(hit.at.point, hit.at.step, tool, nameAt(state, hit.path))}
      </p>
      {hit.breakpointId === 'fork' && <p className="facts">{debug.acts}</p>}
      <span className="wrapping near">
        <button onClick={() => press()}>{debug.stepOver}</button>
        <button onClick={() => press({})}>{debug.release}</button>
        <button aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
          {debug.edit}
        </button>
      </span>
      <Problem text={problem} />
      {isEditing && (
        <EditForm
          editables={editablesAt(agent, hit, source.agent?.() ?? null, texts)}
          agent={source.agent?.() ?? null}
          submit={debug.edit}
          onEdit={go}
          onCancel={() => setEditing(false)}
        />
      )}
    </div>
  );
}

export const debugStyles: string = css`
  .break-bar {
    padding: 4px 12px;
    border-bottom: 1px solid var(--border);
  }
  .break-hit {
    gap: 4px 8px;
  }
  .sentence {
    margin: 0;
    font-weight: 600;
  }
  .break-dot {
    flex: none;
    display: inline-block;
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--danger);
  }
  .breakpoints {
    margin: 0;
  }
  .caps {
    gap: 6px 12px;

    input {
      width: 90px;
    }
  }
  .edit-form {
    flex: 1 1 100%;
    align-items: flex-start;

    textarea {
      width: 100%;
      font:
        12px/1.4 ui-monospace,
        monospace;
      color: inherit;
      background: var(--sunken);
      border: 1px solid var(--border);
      border-radius: 4px;
      resize: vertical;
    }
  }
`;

/** The calls that a fork holds, because its record has no equal ones. */
export function heldCalls(state: AgentState): readonly ToolExecution[] {
  return AgentState.pendingApprovals(state).filter(({ approval }) => approval?.cause === 'fork');
}

type HeldCallsProps = { readonly state: AgentState; readonly commands: SessionCommands };

/** The calls that a fork holds, each with the three ways on. Nothing acts before a person says so. */
export function HeldCalls({ state, commands }: HeldCallsProps): ReactNode {
  return heldCalls(state).map((call) => <HeldCall key={call.id} call={call} commands={commands} />);
}

type HeldCallProps = { readonly call: ToolExecution; readonly commands: SessionCommands };

function HeldCall({ call, commands }: HeldCallProps): ReactNode {
  const { id, toolCall } = call;
  const { debug, edits } = useTexts();
  const [isGiving, setGiving] = useState(false);
  const name = `${toolCall.name}(${preview(toolCall.input, ['input'], 120)})`;
  // A call that another window answered meanwhile is gone from the list with the next state.
  const act = (done: Promise<unknown>): void => void done.catch(() => undefined);
  const label = edits.resultInstead(toolCall.name);
  return (
    <div className="break-hit beside wrapping" role="group" aria-label={debug.held(name)}>
      <p className="sentence">
        <span className="break-dot" aria-hidden="true" /> {debug.held(name)}
      </p>
      <span className="wrapping near">
        <button onClick={() => act(commands.approve(id))}>{debug.runIt}</button>
        <button aria-expanded={isGiving} onClick={() => setGiving(!isGiving)}>
          {debug.giveResult}
        </button>
        <button onClick={() => act(commands.reject(id))}>{debug.skip}</button>
      </span>
      {isGiving && (
        <EditForm
          editables={[ofCall(call, 'result', label)]}
          agent={null}
          submit={debug.giveResult}
          onEdit={async ({ result }) => {
            await commands.respond(id, result ?? null);
            return null;
          }}
          onCancel={() => setGiving(false)}
        />
      )}
    </div>
  );
}
