'use client';

import { AgentState, type JsonObject, type Tool, type ToolExecution } from '@vitrine/core';
import { type FormEvent, type ReactNode, type RefObject, useId, useEffect, useRef, useState } from 'react';
import { usePendingApprovals } from '../../field-hooks.ts';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { jsonText } from '../kit/gist.ts';
import { useAskedFocus } from '../kit/keyboard.ts';
import { TextAround, VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import {
  type ArgumentDraft,
  type ArgumentField,
  argumentFields,
  defaultsOf,
  draftOf,
  readArguments,
} from './argument-fields.ts';
import { ArgumentForm, ArgumentList } from './argument-form.tsx';
import { errorsOf, findTool, schemaOf } from './find-tool.ts';

/**
 * All calls that wait for the person's approval, including those of subagents. Several calls get buttons
 * for all of them.
 */
export function Approvals(): ReactNode {
  const { respondAll } = useAgentSession();
  const texts = useTexts().approvals;
  const waiting = usePendingApprovals().filter(({ status }) => status === 'awaiting-approval');
  const all = (approved: boolean): void =>
    void respondAll(Object.fromEntries(waiting.map(({ toolCall }) => [toolCall.id, { approved }])));
  const isShowable = waiting.every(
    ({ toolCall, approval }) => approval?.form === undefined && jsonText(toolCall.input) !== null,
  );
  return (
    <>
      {waiting.map((pending) => (
        <Approval key={pending.toolCall.id} pending={pending} />
      ))}
      {waiting.length > 1 && (
        <div className="vitrine-buttons">
          {isShowable && (
            <button type="button" className="vitrine-button" onClick={() => all(true)}>
              {texts.approveAll(waiting.length)}
            </button>
          )}
          <button type="button" className="vitrine-button" onClick={() => all(false)}>
            {texts.rejectAll(waiting.length)}
          </button>
        </div>
      )}
    </>
  );
}

/** Props of `Approval`: a call with the status `awaiting-approval`. */
export type ApprovalProps = {
  /** The call that waits, one of `pendingApprovals`. */
  readonly pending: ToolExecution;
};

/**
 * Asks whether a call may run. It shows the arguments and lets a person edit them in a form built from the
 * tool's schema. A running tool that asks the person gets a form with its question in place of that.
 *
 * The call can be rejected, or approved once, for the rest of the run or for the session. Only arguments
 * that can be shown can be approved.
 */
export function Approval({ pending }: ApprovalProps): ReactNode {
  const { form } = pending.approval ?? {};
  return form === undefined ? <MayRun pending={pending} /> : <Question pending={pending} form={form} />;
}

/** The frame of a question about a call, which takes the focus when it is asked for. */
function Card({ pending, card, children, ...texts }: CardProps): ReactNode {
  const { toolCall, approval } = pending;
  useAskedFocus(card);
  const id = useId();
  return (
    <section
      ref={card}
      className="vitrine-approval"
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      data-vitrine-call={toolCall.id}
    >
      <p className="vitrine-approval-title" id={`${id}-title`}>
        <TextAround text={texts.title}>
          <code>
            <VisibleText text={toolCall.name} />
          </code>
        </TextAround>
      </p>
      {approval?.reason && (
        <p dir="auto">
          <VisibleText text={approval.reason} />
        </p>
      )}
      <span className="vitrine-unseen" role="alert">
        {texts.announcement(toolCall.name)}
      </span>
      {children}
    </section>
  );
}

type CardProps = ApprovalProps & {
  readonly title: (toolName: string) => string;
  readonly announcement: (toolName: string) => string;
  readonly card: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
};

function MayRun({ pending }: ApprovalProps): ReactNode {
  const { toolCall } = pending;
  const card = useRef<HTMLElement>(null);
  const { reject, settings } = useAgentSession();
  const [edited, setEdited] = useState<Edited | null>(null);
  const texts = useTexts().approvals;
  const isShowable = jsonText(toolCall.input) !== null;
  const edit = async (): Promise<void> => {
    const tool = findTool(settings().agent, toolCall.name);
    setEdited({ tool, schema: await schemaOf(tool) });
  };
  useEffect(() => {
    // The form is there, too, for a person who goes offline meanwhile.
    void schemaOf(findTool(settings().agent, toolCall.name));
  }, [settings, toolCall.name]);
  return (
    <Card pending={pending} card={card} title={texts.question} announcement={texts.announcement}>
      {!isShowable && <p>{texts.tooDeep}</p>}
      {isShowable && edited && (
        <Editing
          pending={pending}
          edited={edited}
          onCancel={() => {
            setEdited(null);
            card.current?.focus();
          }}
        />
      )}
      {isShowable && !edited && <ArgumentList input={toolCall.input} />}
      {!edited && (
        <div className="vitrine-buttons">
          {isShowable && <Decisions pending={pending} onEdit={() => void edit()} />}
          <button type="button" className="vitrine-button" onClick={() => void reject(toolCall.id)}>
            {texts.reject}
          </button>
        </div>
      )}
    </Card>
  );
}

function Question({ pending, form }: ApprovalProps & { readonly form: JsonObject }): ReactNode {
  const { toolCall } = pending;
  const card = useRef<HTMLElement>(null);
  const { approve, reject } = useAgentSession();
  const texts = useTexts().approvals;
  const fields = argumentFields(form, {}) ?? [];
  const [draft, setDraft] = useState<ArgumentDraft>(() => draftOf(fields, defaultsOf(form)));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const read = readArguments(fields, draft, {}, texts);
    setProblems(read.problems ?? {});
    if (read.problems === null) await approve(toolCall.id, { input: read.input });
  };
  return (
    <Card pending={pending} card={card} title={texts.asks} announcement={texts.asksAnnouncement}>
      <form onSubmit={(event) => void submit(event)}>
        <ArgumentForm fields={fields} draft={draft} problems={problems} onChange={setDraft} />
        <div className="vitrine-buttons">
          <button type="submit" className="vitrine-button vitrine-primary">
            {texts.answer}
          </button>
          <button type="button" className="vitrine-button" onClick={() => void reject(toolCall.id)}>
            {texts.decline}
          </button>
        </div>
      </form>
    </Card>
  );
}

/** The texts of the buttons that approve later calls too. */
const lasting = {
  execution: { label: 'alwaysForRun', title: 'alwaysForRunTitle' },
  session: { label: 'alwaysForSession', title: 'alwaysForSessionTitle' },
} as const;

type DecisionsProps = ApprovalProps & { readonly onEdit: () => void };

function Decisions({ pending: { toolCall }, onEdit }: DecisionsProps): ReactNode {
  const { approve } = useAgentSession();
  const texts = useTexts().approvals;
  return (
    <>
      <button
        type="button"
        className="vitrine-button vitrine-primary"
        onClick={() => void approve(toolCall.id)}
      >
        {texts.approve}
      </button>
      <button type="button" className="vitrine-button" onClick={onEdit}>
        {texts.edit}
      </button>
      {(['execution', 'session'] as const).map((remember) => (
        <button
          key={remember}
          type="button"
          className="vitrine-button"
          title={texts[lasting[remember].title](toolCall.name)}
          onClick={() => void approve(toolCall.id, { remember })}
        >
          {texts[lasting[remember].label]}
        </button>
      ))}
    </>
  );
}

/** The tool of a call whose arguments are edited, and the schema of its form; null for those that are not known. */
type Edited = { readonly tool: Tool | null; readonly schema: JsonObject | null };

type EditingProps = ApprovalProps & { readonly edited: Edited; readonly onCancel: () => void };

const whole = 'arguments';

/** The field of an input that is no object. */
const wholeInput: ArgumentField = {
  name: whole,
  label: whole,
  description: '',
  kind: 'json',
  choices: [],
  isRequired: true,
  isNullable: false,
};

function Editing({ pending: { toolCall }, edited, onCancel }: EditingProps): ReactNode {
  const { approve } = useAgentSession();
  const texts = useTexts();
  const { tool, schema } = edited;
  const known = argumentFields(schema, toolCall.input);
  const fields = known ?? [wholeInput];
  const before = known === null ? { [whole]: toolCall.input } : toolCall.input;
  const [draft, setDraft] = useState<ArgumentDraft>(() => draftOf(fields, before));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [errors, setErrors] = useState<readonly string[]>([]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const read = readArguments(fields, draft, before, texts.approvals);
    setProblems(read.problems ?? {});
    setErrors([]);
    if (read.problems !== null) return;
    const input = known === null ? ((read.input as { readonly [whole]: never })[whole] ?? null) : read.input;
    const found = await errorsOf(tool, input, fields);
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
          {texts.approvals.approveChanged}
        </button>
        <button type="button" className="vitrine-button" onClick={onCancel}>
          {texts.common.cancel}
        </button>
      </div>
    </form>
  );
}

/** The sentences for a decision and its scope. */
const sentences = {
  approved: { session: 'runsInSession', execution: 'runsInAnswer' },
  rejected: { session: 'isRejectedInSession', execution: 'isRejectedInAnswer' },
} as const;

/**
 * Lists the remembered decisions, each with a button that makes later calls ask again. Renders no list if
 * there are none.
 */
export function RememberedDecisions(): ReactNode {
  const { update } = useAgentSession();
  const decisions = useAgentState(AgentState.rememberedDecisions);
  const texts = useTexts().decisions;
  const place = useRef<HTMLDivElement>(null);
  const askAgain = async (toolName: string): Promise<void> => {
    await update((state) => AgentState.withoutDecisions(state, toolName));
    // The pressed button disappears, so keyboard focus moves to this element.
    place.current?.focus();
  };
  return (
    <div ref={place} tabIndex={-1}>
      {decisions.length > 0 && (
        <ul className="vitrine-decisions" aria-label={texts.label}>
          {decisions.map(({ toolName, decision, scope }) => (
            <li key={toolName}>
              <span>
                <TextAround text={texts[sentences[decision][scope]]}>
                  <code>
                    <VisibleText text={toolName} />
                  </code>
                </TextAround>
              </span>
              <button
                type="button"
                className="vitrine-button"
                aria-label={texts.askAgainAbout(toolName)}
                onClick={() => void askAgain(toolName)}
              >
                {texts.askAgain}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
