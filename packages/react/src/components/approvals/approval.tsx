'use client';

import type { ToolExecution } from '@vitrine/core';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-session.ts';
import { jsonText } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { type ArgumentDraft, argumentFields, draftOf, readArguments } from './argument-fields.ts';
import { ArgumentForm } from './argument-form.tsx';
import { ArgumentList } from './argument-list.tsx';
import { errorsOf, findTool, schemaOf } from './find-tool.ts';
import { useAskedFocus } from './use-asked-focus.ts';

/** Props of `Approval`: a call with the status `awaiting-approval`. */
export type ApprovalProps = { readonly pending: ToolExecution };

/**
 * Asks whether a call may run. It shows the arguments and lets a person edit them in a form built from the
 * tool's schema.
 *
 * The call can be rejected, or approved once, for the rest of the run or for the session. Only arguments
 * that can be shown can be approved.
 */
export function Approval({ pending }: ApprovalProps): ReactNode {
  const { toolCall, approval } = pending;
  const { reject } = useAgentSession();
  const [isEdited, setEdited] = useState(false);
  const card = useRef<HTMLElement>(null);
  useAskedFocus(card);
  const id = useId();
  const isShowable = jsonText(toolCall.input) !== null;
  const cancel = (): void => {
    setEdited(false);
    card.current?.focus();
  };
  return (
    <section
      ref={card}
      className="vitrine-approval"
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      data-vitrine-call={toolCall.id}
    >
      <p className="vitrine-approval-title" id={`${id}-title`}>
        May{' '}
        <code>
          <VisibleText text={toolCall.name} />
        </code>{' '}
        run?
      </p>
      {approval?.reason && (
        <p dir="auto">
          <VisibleText text={approval.reason} />
        </p>
      )}
      <span className="vitrine-unseen" role="alert">{`${toolCall.name} waits for your approval.`}</span>
      {!isShowable && (
        <p>The arguments are nested too deeply to be shown, so you cannot approve this call.</p>
      )}
      {isShowable && isEdited && <Editing pending={pending} onCancel={cancel} />}
      {isShowable && !isEdited && <ArgumentList input={toolCall.input} />}
      {!isEdited && (
        <div className="vitrine-buttons">
          {isShowable && <Decisions pending={pending} onEdit={() => setEdited(true)} />}
          <button type="button" className="vitrine-button" onClick={() => void reject(toolCall.id)}>
            Reject
          </button>
        </div>
      )}
    </section>
  );
}

/** Labels for how long an approval holds. */
const lasting = {
  execution: { noun: 'run', until: 'until this answer has ended' },
  session: { noun: 'session', until: 'in this session' },
} as const;

type DecisionsProps = ApprovalProps & { readonly onEdit: () => void };

function Decisions({ pending: { toolCall }, onEdit }: DecisionsProps): ReactNode {
  const { approve } = useAgentSession();
  return (
    <>
      <button
        type="button"
        className="vitrine-button vitrine-primary"
        onClick={() => void approve(toolCall.id)}
      >
        Approve
      </button>
      <button type="button" className="vitrine-button" onClick={onEdit}>
        Edit
      </button>
      {(['execution', 'session'] as const).map((remember) => (
        <button
          key={remember}
          type="button"
          className="vitrine-button"
          title={`Later calls of ${toolCall.name} run without asking, ${lasting[remember].until}`}
          onClick={() => void approve(toolCall.id, { remember })}
        >
          Always for this {lasting[remember].noun}
        </button>
      ))}
    </>
  );
}

type EditingProps = ApprovalProps & { readonly onCancel: () => void };

const whole = 'arguments';

function Editing({ pending: { toolCall }, onCancel }: EditingProps): ReactNode {
  const { approve, settings } = useAgentSession();
  const tool = findTool(settings().agent, toolCall.name);
  const known = argumentFields(schemaOf(tool), toolCall.input);
  const fields = known ?? [
    { name: whole, description: '', kind: 'json', choices: [], isRequired: true, isNullable: false } as const,
  ];
  const before = known === null ? { [whole]: toolCall.input } : toolCall.input;
  const [draft, setDraft] = useState<ArgumentDraft>(() => draftOf(fields, before));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [errors, setErrors] = useState<readonly string[]>([]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const read = readArguments(fields, draft, before);
    setProblems(read.problems ?? {});
    setErrors([]);
    if (read.problems !== null) return;
    const input = known === null ? ((read.input as { readonly [whole]: never })[whole] ?? null) : read.input;
    const found = await errorsOf(tool, input);
    setErrors(found);
    if (found.length === 0) await approve(toolCall.id, { input });
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <ArgumentForm fields={fields} draft={draft} problems={problems} onChange={setDraft} />
      <div role="alert">
        {errors.length > 0 && (
          <ul className="vitrine-problem">
            {errors.map((error) => (
              <li key={error}>{error}</li>
            ))}
          </ul>
        )}
      </div>
      <div className="vitrine-buttons">
        <button type="submit" className="vitrine-button vitrine-primary">
          Approve with these changes
        </button>
        <button type="button" className="vitrine-button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
