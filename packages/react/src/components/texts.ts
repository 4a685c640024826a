import type { AgentErrorCodes } from '@vitrine/core';
import type { Durability } from '@vitrine/core/types';
import type { LaterTexts } from './later-texts.ts';

const numbers = new Intl.NumberFormat('en');
const steps = (limit: number): string => (limit === 1 ? 'one step' : `${numbers.format(limit)} steps`);
const kB = (bytes: number): string => `${numbers.format(Math.ceil(bytes / 1024))} kB`;

/**
 * The English texts of the components, by group. Each one is a string, or a function of the values in it.
 *
 * The sentences of errors are not in it. They are the sentences for persons of `explainError`, and load after the page.
 */
export const texts = {
  /** Words that several components share. */
  common: {
    cancel: 'Cancel',
    send: 'Send',
    stop: 'Stop',
    dismiss: 'Dismiss',
    /** The title of a session without messages. */
    newSession: 'New session',
    copied: 'Copied.',
    copyingNotAllowed: 'Copying is not allowed here; select the text instead.',
    value: 'Value',
    tooDeep: 'This value is nested too deeply to be shown.',
    duration: (ms: number): string =>
      ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`,
    /** The name of a file without a name. `type` is a media type, or empty. */
    unnamedFile: (type: string): string => `A file of type ${type || 'unknown'}`,
    missingFile: (name: string): string => `${name} (not available)`,
  },
  /** The frame of a whole chat. */
  chat: {
    greeting: 'What can I help you with?',
    skip: 'Skip to the message box',
    closeList: 'Close the list of sessions',
    suggestions: 'Suggestions',
  },
  /** The place where a session of a server runs. */
  place: {
    onServer: 'On the server',
    goesOn: 'It goes on when you close this page.',
    reconnecting: 'Reconnecting…',
    offline: 'Offline',
    notConnected: 'Not connected',
    waits: 'What you send waits for the connection.',
  },
  activity: {
    thinking: 'Thinking…',
    answering: 'Answering…',
    /** An activity of a newer version in another tab. */
    working: 'Working…',
    elsewhere: 'Another page or device is answering. What you send waits for it…',
    reconnecting: 'The connection is lost and is made again. What you send waits for it.',
    offline: 'You are offline. What you send waits for the connection.',
    /** `others` is the number of further tools that run. */
    tool: (name: string, others: number): string => `Running ${name}${besides(others)}…`,
    subagent: (name: string, others: number, activity: string): string =>
      `${name}${besides(others)}: ${activity}`,
    retrying: (attempt: number, attempts: number): string =>
      `The model did not answer. Trying again (${attempt} of ${attempts})…`,
    /** A run that waits for a person who debugs it. */
    paused: 'The run is paused.',
    /** The button below an answer that stopped at a limit. */
    goOn: 'Go on',
    /** The button below an answer that was cut off, and the message that it sends. */
    continueAnswer: 'Continue',
  },
  /** The last answer, when it is incomplete. */
  endOfAnswer: {
    stopped: 'Stopped',
    stoppedByYou: 'Stopped by you',
    /** A limit without a text of its own. `message` comes from the signal that stopped the run. */
    stoppedBecause: (message: string): string => `Stopped: ${message}.`,
    heldBack: 'The model’s provider held back the rest of this answer.',
    heldBackBecause: (explanation: string): string =>
      `The model’s provider held back the rest of this answer. It says: ${explanation}`,
    empty: 'The model gave an empty answer. Ask again, or rephrase your message.',
    maxSteps: (limit: number): string => `Stopped: this answer reached its limit of ${steps(limit)}.`,
    /** The limit of an answer with its subagents. */
    maxTotalSteps: (limit: number): string =>
      `Stopped: this answer and its subagents reached their limit of ${steps(limit)}.`,
    maxTokens: (limit: number): string =>
      `Stopped: this answer reached its limit of ${numbers.format(limit)} tokens.`,
    maxSeconds: (limit: number): string =>
      `Stopped: this answer reached its limit of ${numbers.format(limit)} seconds.`,
    maxCost: (limit: number): string =>
      `Stopped: this answer reached its cost limit of ${numbers.format(limit)}.`,
    maxCostOfUnknownPrice: (limit: number): string =>
      `Stopped: this answer has a cost limit of ${numbers.format(limit)}, and the price of this model is unknown.`,
    chatTokens: (limit: number): string =>
      `Stopped: this chat reached its limit of ${numbers.format(limit)} tokens.`,
    chatCost: (limit: number): string =>
      `Stopped: this chat reached its cost limit of ${numbers.format(limit)}.`,
    chatCostOfUnknownPrice: (limit: number): string =>
      `Stopped: this chat has a cost limit of ${numbers.format(limit)}, and the price of this model is unknown.`,
    tokensLeft: (left: number, limit: number): string =>
      `Stopped: the next step needs more than the ${numbers.format(left)} tokens left of ${numbers.format(limit)}.`,
    costLeft: (left: number, limit: number): string =>
      `Stopped: the next step may cost more than the ${numbers.format(left)} left of ${numbers.format(limit)}.`,
  },
  /** Parts that are missing in the last answer or its question. */
  findings: {
    cut: 'The answer was cut at the length limit.',
    brokenOff: 'The model’s provider broke this answer off, so its end may be missing.',
    fileMissing: (filename: string | null): string =>
      filename === null
        ? 'The model could not read a file of this chat. Attach it again.'
        : `The model could not read ${filename}. Attach it again.`,
  },
  /** Errors without a code, and additions to the sentences of errors. */
  failures: {
    unknown: 'Something went wrong. Try again.',
    missingPart: 'A part of this page could not be loaded. See whether you are online, and reload the page.',
    notSent: 'The message could not be sent.',
    /** The sentence of an error, with the reason that the provider gave. */
    withExplanation: (sentence: string, explanation: string): string => `${sentence} It says: ${explanation}`,
    /** The sentence of an error about a file that is too large, with its sizes in bytes. */
    withSize: (sentence: string, bytes: number, limit: number): string =>
      `${sentence} It has ${kB(bytes)}; ${kB(limit)} are allowed here.`,
    notASessionFile:
      'This file is not an exported session, and no conversation can be read from it. Unpack an archive (.zip) first. Nothing was imported.',
  },
  notices: {
    /** The line below the sentence of an error: the message of the error, for developers. Empty hides it. */
    detail: (message: string, _code: string | null): string => message,
    retry: 'Retry',
    interrupted: 'The last run was interrupted before it ended.',
    resume: 'Resume',
    unanswered: 'Your message has not been answered yet.',
    answerNow: 'Answer now',
    deleted: 'This session was deleted. Restore it to send messages again.',
    conflict:
      'This conversation was changed on another device or in another tab. What you see here is not saved yet.',
    takeTheirs: 'Take theirs and continue',
    keepMine: 'Keep mine as a copy',
    forked: 'This conversation went on elsewhere during your answer. Your answer is kept in a copy.',
    openCopy: 'Open the copy',
    /** `message` is that of the error; null when it would not help a person. */
    unsaved: (message: string | null): string =>
      message === null ? 'This session could not be saved.' : `This session could not be saved: ${message}`,
    /** The store does not respond. `message` is that of the error; null when there is none. */
    noResponse: (message: string | null): string =>
      message ?? 'The store of this conversation does not respond yet. The session continues when it does.',
    /** A message that was sent without a connection. */
    unsent: (message: string): string => `Waits for connection: ${message}`,
    unsentList: 'Waits for connection',
    unsentAnswer: 'Your answer waits for connection.',
    /** The warning of a store that keeps less than expected, in the words of the store. */
    warning: (warning: string, _durability: Durability): string => warning,
  },
  /** The task list of a model. */
  todos: {
    title: (done: number, all: number): string => `Tasks: ${done} of ${all} done`,
    newTask: 'New task',
    add: 'Add',
    remove: (task: string): string => `Remove “${task}”`,
  },
  /** Questions of a model with options. */
  questions: {
    label: 'Questions',
    announcement: (count: number): string =>
      count === 1 ? 'The assistant has a question.' : `The assistant has ${count} questions.`,
    other: 'In other words',
    otherFor: (question: string): string => `In other words: ${question}`,
    answer: 'Answer',
    skip: 'Skip',
  },
  composer: {
    label: 'Message',
    placeholder: 'Ask something',
    filesToAttach: 'Files to attach',
    attach: 'Attach files',
    attachedFiles: 'Attached files',
    /** Over the chat, while files are dragged. */
    drop: 'Drop files to attach them',
    removeFile: (name: string): string => `Remove ${name}`,
    /** Below the message box, after files were chosen that the model does not take. */
    filesNotTaken: (names: readonly string[]): string =>
      `${names.join(', ')}: this model cannot read ${names.length === 1 ? 'this file' : 'these files'}.`,
    waitingMessages: 'Waiting messages',
    waiting: (message: string): string => `Waiting: ${message}`,
    cancelWaiting: (message: string): string => `Cancel ${message}`,
    /** The session went on elsewhere while a message was sent here. */
    overtakenWithAnswer:
      'This conversation went on elsewhere. Your message is in it, and so is its answer, as far as it had come.',
    overtakenWithoutAnswer:
      'This conversation went on elsewhere. Your message is in it, but the answer that was made here was stopped.',
    overtakenWithoutMessage:
      'This conversation went on elsewhere, and your message is not in it. Send it again.',
  },
  conversation: {
    label: 'Conversation',
    toEnd: 'Jump to the latest message',
    /** The announcement of a complete answer for screen readers. */
    announcement: (answer: string): string => `Answer: ${answer}`,
    longAnnouncement: (beginning: string): string => `Answer: ${beginning}… The answer goes on.`,
  },
  messages: {
    ofPerson: 'You',
    ofModel: 'Assistant',
    edit: 'Edit message',
    editField: 'Edit your message',
    earlierAnswer: 'Show the earlier answer',
    incomplete: 'This answer is incomplete.',
    truncated: 'This answer was cut off at the output limit.',
    newerPart: 'This part of the answer needs a newer version of this page.',
    source: (title: string): string => `Source: ${title}`,
    copyAnswer: 'Copy answer',
    answerAgain: 'Answer again',
    fork: 'Fork into a new session',
    code: (info: string): string => (info === '' ? 'Code' : `Code, ${info}`),
    copyCode: 'Copy code',
    table: 'Table',
    formula: 'Formula',
    /** The text of a link to an image without a description. */
    image: 'image',
    thinking: 'Thinking…',
    reasoning: 'Reasoning',
    notDisplayed: 'Message that cannot be displayed',
    notDisplayedNote: 'This message cannot be displayed. Its text:',
    itsText: 'Its text',
    copy: 'Copy',
  },
  /** The versions of a message that was edited, and of an answer that was given again. */
  branches: {
    /** The position of the shown version. */
    position: (number: number, count: number): string => `${number} / ${count}`,
    versionOf: (number: number, count: number): string => `version ${number} of ${count}`,
    answerOf: (number: number, count: number): string => `answer ${number} of ${count}`,
    previousVersion: 'Previous version',
    nextVersion: 'Next version',
    previousAnswer: 'Previous answer',
    nextAnswer: 'Next answer',
  },
  tools: {
    input: 'Input',
    copyInput: 'Copy the input',
    result: 'Result',
    copyResult: 'Copy the result',
    error: 'Error',
    copyError: 'Copy the error',
    task: 'Task',
    copyTask: 'Copy the task',
    showAll: (characters: number): string => `Show all ${numbers.format(characters)} characters`,
    progressOf: (toolName: string): string => `Progress of ${toolName}`,
    /** The messages of a subagent. */
    saidBy: (name: string): string => `What ${name} said`,
    steps: (count: number): string => (count === 1 ? '1 step' : `${numbers.format(count)} steps`),
  },
  callStatus: {
    requested: 'waiting',
    'awaiting-approval': 'needs your approval',
    'awaiting-output': 'needs your answer',
    running: 'running…',
    completed: 'done',
    failed: 'failed',
    blocked: 'blocked',
    rejected: 'rejected',
    interrupted: 'interrupted',
    stopped: 'stopped',
  },
  approvals: {
    question: (toolName: string): string => `May ${toolName} run?`,
    /** The announcement of the question for screen readers. */
    announcement: (toolName: string): string => `${toolName} waits for your approval.`,
    /** The title of a question of a running tool. */
    asks: (toolName: string): string => `${toolName} asks you`,
    /** The announcement of such a question for screen readers. */
    asksAnnouncement: (toolName: string): string => `${toolName} waits for your answer.`,
    answer: 'Send the answer',
    decline: 'Decline',
    tooDeep: 'The arguments are nested too deeply to be shown, so you cannot approve this call.',
    approve: 'Approve',
    edit: 'Edit',
    reject: 'Reject',
    alwaysForRun: 'Always for this run',
    alwaysForRunTitle: (toolName: string): string =>
      `Later calls of ${toolName} run without asking, until this answer has ended`,
    alwaysForSession: 'Always for this session',
    alwaysForSessionTitle: (toolName: string): string =>
      `Later calls of ${toolName} run without asking, in this session`,
    approveAll: (count: number): string => `Approve all ${count}`,
    rejectAll: (count: number): string => `Reject all ${count}`,
    approveChanged: 'Approve with these changes',
    /** The person who answered a call that waited, by their id on the server. */
    answeredBy: (person: string, decision: 'approved' | 'rejected'): string =>
      decision === 'approved' ? `Approved by ${person}` : `Rejected by ${person}`,
    noArguments: 'No arguments.',
    optional: '(optional)',
    withInvisible: (text: string): string => `With invisible characters shown: ${text}`,
    required: (field: string): string => `“${field}” is required.`,
    notANumber: (field: string): string => `Enter a number for “${field}”.`,
    /** `message` comes from the JSON parser. */
    notJson: (field: string, message: string): string => `Enter valid JSON for “${field}”: ${message}`,
  },
  /** The remembered decisions about tools. */
  decisions: {
    label: 'Answered without asking',
    runsInSession: (toolName: string): string => `${toolName} runs without asking, in this session`,
    runsInAnswer: (toolName: string): string =>
      `${toolName} runs without asking, until this answer has ended`,
    isRejectedInSession: (toolName: string): string =>
      `${toolName} is rejected without asking, in this session`,
    isRejectedInAnswer: (toolName: string): string =>
      `${toolName} is rejected without asking, until this answer has ended`,
    askAgain: 'Ask again',
    askAgainAbout: (toolName: string): string => `Ask about ${toolName} again`,
  },
  sessions: {
    label: 'Sessions',
    import: 'Import a session',
    /** The tooltip of the button that imports, which also tells of drops. */
    importHint:
      'Import a session, or an export of ChatGPT, Claude or another application. You can drop files here.',
    fileToImport: 'File of a session',
    /** The number of sessions that files have become. */
    imported: (count: number): string =>
      count === 1 ? '1 session was imported.' : `${count} sessions were imported.`,
    /** The number of parts of the files that are in no session. */
    leftOut: (count: number): string =>
      count === 1 ? '1 part was left out' : `${count} parts were left out`,
    search: 'Search',
    searchLabel: 'Search sessions',
    none: 'Sessions are kept in this browser. There are none yet.',
    nothingFound: 'Nothing was found.',
    showOlder: 'Show older sessions',
    today: 'Today',
    yesterday: 'Yesterday',
    last7Days: 'Previous 7 days',
    last30Days: 'Previous 30 days',
    month: (date: Date): string => date.toLocaleDateString('en', { month: 'long', year: 'numeric' }),
    /** The heading of the sessions that cannot be read. */
    notReadable: 'Not readable',
    /** The title of a session that cannot be read. */
    unreadable: 'Unreadable session',
    damaged: 'Damaged, and left unchanged. You can export the stored data.',
    /** The note of a session that a server has now. */
    moved: 'On the server',
    newer: 'Written by a newer version. Reload the page to open it.',
    rename: (title: string): string => `Rename ${title}`,
    titleField: 'Title of the session',
    export: (title: string): string => `Export ${title}`,
    delete: (title: string): string => `Delete ${title}`,
    deleted: (title: string): string => `Deleted “${title}”`,
    undo: 'Undo',
  },
  /** The labels in place of invisible characters. */
  hiddenCharacters: {
    /** A text of tag characters, which a person does not see and a model reads. */
    hiddenText: (text: string): string => `⟨hidden text: ${text}⟩`,
    count: (count: number): string => `⟨${count} invisible characters⟩`,
    /** A list of named characters, and the number of characters that it leaves out. */
    title: (names: readonly string[], others: number): string =>
      `Invisible: ${names.join(', ')}${others > 0 ? ` and ${others} others` : ''}`,
    /** The name of a character that Unicode calls `unicodeName`. */
    name: (unicodeName: string): string => unicodeName,
    tag: 'tag character',
    variationSelector: 'variation selector',
    halfCharacter: 'half of a character',
    control: 'control character',
    withoutPicture: 'character without a picture',
  },
};

function besides(others: number): string {
  return others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
}

type Groups = typeof texts;

type ErrorSentences = Readonly<Record<keyof AgentErrorCodes & string, string>>;

/**
 * All texts of the components in one language, by group, with a sentence for each error code. A translation of
 * this type has a type error for each missing text.
 */
export type Texts = { readonly [Group in keyof Groups]: Readonly<Groups[Group]> } & LaterTexts & {
    readonly errors: ErrorSentences;
  };

/** Some texts of the components. Other texts stay as they are. */
export type SomeTexts = { readonly [Group in keyof Texts]?: Partial<Texts[Group]> };

/** The texts in use. Sentences of errors and texts of parts that load later are English where they are not here. */
export type UsedTexts = Omit<Texts, 'errors' | keyof LaterTexts> & {
  readonly errors: Partial<ErrorSentences>;
} & { readonly [Group in keyof LaterTexts]?: Partial<LaterTexts[Group]> };
