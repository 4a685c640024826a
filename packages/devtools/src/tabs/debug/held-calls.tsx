import { AgentState, type ToolExecution } from '@vitrine/core';
import type { SessionCommands } from '@vitrine/core/internal/session/agent-session';
import { type ReactNode, useState } from 'react';
import { preview } from '../../kit/format.ts';
import { useTexts } from '../../texts.ts';
import { EditForm } from './edit-form.tsx';

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

function HeldCall({ call: { id, toolCall }, commands }: HeldCallProps): ReactNode {
  const { debug, edits } = useTexts();
  const [isGiving, setGiving] = useState(false);
  const name = `${toolCall.name}(${preview(toolCall.input, ['input'], 120)})`;
  // A call that another window answered meanwhile is gone from the list with the next state.
  const act = (done: Promise<unknown>): void => void done.catch(() => undefined);
  const label = edits.resultInstead(toolCall.name);
  const given = {
    id,
    label,
    text: '""',
    isJson: true,
    toolName: null,
    editOf: (result: unknown) => ({ result }),
  };
  return (
    <div className="break-hit beside wrapping" role="group" aria-label={debug.held(name)}>
      <p className="break-sentence">
        <span className="break-dot" aria-hidden="true" /> {debug.held(name)}
      </p>
      <span className="break-buttons">
        <button onClick={() => act(commands.approve(id))}>{debug.runIt}</button>
        <button aria-expanded={isGiving} onClick={() => setGiving(!isGiving)}>
          {debug.giveResult}
        </button>
        <button onClick={() => act(commands.reject(id))}>{debug.skip}</button>
      </span>
      {isGiving && (
        <EditForm
          editables={[given as never]}
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
