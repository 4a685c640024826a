'use client';

import { AgentState, type JsonObject, type JsonValue, type Tool, type ToolExecution } from '@vitrine/core';
import { type FormEvent, type ReactNode, type RefObject, useId, useEffect, useRef, useState } from 'react';
import { usePendingApprovals } from '../../field-hooks.ts';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { jsonText } from '../kit/gist.ts';
import { Button } from '../kit/icon-button.tsx';
import { useAskedFocus } from '../kit/keyboard.ts';
import { Refusal, useCommand } from '../kit/use-command.tsx';
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
  const pending = usePendingApprovals();
  const { give, problem } = useCommand(pending);
  const texts = useTexts().approvals;
  const waiting = pending.filter(({ status }) => status === 'awaiting-approval');
  const all = (approved: boolean): void =>
    void give(() =>
      respondAll(Object.fromEntries(waiting.map(({ toolCall }) => [toolCall.id, { approved }]))),
    );
  const isShowable = waiting.every(
    ({ toolCall, approval }) => approval?.form === undefined && jsonText(toolCall.input) !== null,
  );
  return (
    <>
      {waiting.map((call) => (
        <Approval key={call.toolCall.id} pending={call} />
      ))}
      <Refusal problem={problem} />
      {waiting.length > 1 && (
        <div className="vitrine-buttons">
          {isShowable && <Button onClick={() => all(true)}>{texts.approveAll(waiting.length)}</Button>}
          <Button onClick={() => all(false)}>{texts.rejectAll(waiting.length)}</Button>
        </div>
      )}
    </>
  );
}

type ApprovalProps = {
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
  // A call that runs may ask again.
  const asked = { pending, command: useCommand(pending.approval) };
  return form === undefined ? <MayRun {...asked} /> : <Question {...asked} form={form} />;
}

type AskedProps = ApprovalProps & { readonly command: ReturnType<typeof useCommand> };

function Card({ pending, command, card, children, ...texts }: CardProps): ReactNode {
  const { toolCall, approval } = pending;
  useAskedFocus(card);
  const id = useId();
  return (
    <section
      ref={card}
      className="vitrine-approval"
      tabIndex={-1}
      aria-busy={command.isGiven}
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
      <Refusal problem={command.problem} />
    </section>
  );
}

type CardProps = AskedProps & {
  readonly title: (toolName: string) => string;
  readonly announcement: (toolName: string) => string;
  readonly card: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
};

function MayRun({ pending, command }: AskedProps): ReactNode {
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
    <Card {...{ pending, command, card }} title={texts.question} announcement={texts.announcement}>
      {!isShowable && <p>{texts.tooDeep}</p>}
      {isShowable && edited && (
        <Editing
          {...{ pending, command }}
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
          {isShowable && <Decisions {...{ pending, command }} onEdit={() => void edit()} />}
          <Button onClick={() => void command.give(() => reject(toolCall.id))}>{texts.reject}</Button>
        </div>
      )}
    </Card>
  );
}

function Question({ pending, command, form }: AskedProps & { readonly form: JsonObject }): ReactNode {
  const { toolCall } = pending;
  const card = useRef<HTMLElement>(null);
  const { reject } = useAgentSession();
  const texts = useTexts().approvals;
  return (
    <Card {...{ pending, command, card }} title={texts.asks} announcement={texts.asksAnnouncement}>
      <Answering
        {...{ pending, command }}
        fields={argumentFields(form, {}) ?? []}
        shown={defaultsOf(form)}
        before={{}}
        submit={texts.answer}
      >
        <Button onClick={() => void command.give(() => reject(toolCall.id))}>{texts.decline}</Button>
      </Answering>
    </Card>
  );
}

const lasting = {
  execution: { label: 'alwaysForRun', title: 'alwaysForRunTitle' },
  session: { label: 'alwaysForSession', title: 'alwaysForSessionTitle' },
} as const;

type DecisionsProps = AskedProps & { readonly onEdit: () => void };

function Decisions({ pending: { toolCall }, command, onEdit }: DecisionsProps): ReactNode {
  const { approve } = useAgentSession();
  const texts = useTexts().approvals;
  return (
    <>
      <Button className="vitrine-primary" onClick={() => void command.give(() => approve(toolCall.id))}>
        {texts.approve}
      </Button>
      <Button onClick={onEdit}>{texts.edit}</Button>
      {(['execution', 'session'] as const).map((remember) => (
        <Button
          key={remember}
          title={texts[lasting[remember].title](toolCall.name)}
          onClick={() => void command.give(() => approve(toolCall.id, { remember }))}
        >
          {texts[lasting[remember].label]}
        </Button>
      ))}
    </>
  );
}

/** The tool of a call whose arguments are edited, and the schema of its form; null for those that are not known. */
type Edited = { readonly tool: Tool | null; readonly schema: JsonObject | null };

type EditingProps = AskedProps & { readonly edited: Edited; readonly onCancel: () => void };

const whole = 'arguments';

const wholeInput: ArgumentField = {
  name: whole,
  label: whole,
  description: '',
  kind: 'json',
  choices: [],
  isRequired: true,
  isNullable: false,
};

function Editing({ pending, command, edited: { tool, schema }, onCancel }: EditingProps): ReactNode {
  const texts = useTexts();
  const { input } = pending.toolCall;
  const known = argumentFields(schema, input);
  const before = known === null ? { [whole]: input } : input;
  return (
    <Answering
      {...{ pending, command }}
      fields={known ?? [wholeInput]}
      shown={before}
      before={before}
      inputOf={(read) => (known === null ? ((read as { readonly [whole]: never })[whole] ?? null) : read)}
      tool={tool}
      submit={texts.approvals.approveChanged}
    >
      <Button onClick={onCancel}>{texts.common.cancel}</Button>
    </Answering>
  );
}

type AnsweringProps = AskedProps & {
  readonly fields: readonly ArgumentField[];
  /** The values that the form shows at first, and those that an unchanged field keeps. */
  readonly shown: unknown;
  readonly before: unknown;
  /** The input of the call by the values of the form. Default: the values. */
  readonly inputOf?: (read: JsonValue) => JsonValue;
  /** The tool that checks the input. Default: nothing checks it. */
  readonly tool?: Tool | null;
  /** The label of the button that approves the call. */
  readonly submit: string;
  readonly children: ReactNode;
};

function Answering(props: AnsweringProps): ReactNode {
  const { pending, command, fields, shown, before, inputOf = (read) => read, tool = null, submit } = props;
  const { approve } = useAgentSession();
  const texts = useTexts().approvals;
  const [draft, setDraft] = useState<ArgumentDraft>(() => draftOf(fields, shown));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [errors, setErrors] = useState<readonly string[]>([]);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const read = readArguments(fields, draft, before, texts);
    setProblems(read.problems ?? {});
    setErrors([]);
    if (read.problems !== null) return;
    const input = inputOf(read.input);
    const found = await errorsOf(tool, input, fields);
    setErrors(found);
    if (found.length === 0) await command.give(() => approve(pending.toolCall.id, { input }));
  };
  return (
    <form onSubmit={(event) => void send(event)}>
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
        <Button type="submit" className="vitrine-primary">
          {submit}
        </Button>
        {props.children}
      </div>
    </form>
  );
}

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
  const { give, problem } = useCommand(decisions);
  const texts = useTexts().decisions;
  const place = useRef<HTMLDivElement>(null);
  const askAgain = async (toolName: string): Promise<void> => {
    await give(() => update((state) => AgentState.withoutDecisions(state, toolName)));
    // The pressed button disappears, so keyboard focus moves to this element.
    place.current?.focus();
  };
  return (
    <div ref={place} tabIndex={-1}>
      <Refusal problem={problem} />
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
              <Button aria-label={texts.askAgainAbout(toolName)} onClick={() => void askAgain(toolName)}>
                {texts.askAgain}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
