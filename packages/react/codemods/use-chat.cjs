'use strict';

// Rewrites `useChat` of the AI SDK to `useAgent`:
//
//   npx jscodeshift --parser=tsx --extensions=tsx,ts,jsx,js -t node_modules/@vitrine/react/codemods/use-chat.cjs src
//
// It changes what has one meaning in both, and leaves a comment `TODO(vitrine)` where a person has to decide. It edits
// the text by the places of its nodes, so that everything else stays as it was written.

/** Options with the same meaning, by their name there and here. */
const sameOptions = {
  id: 'sessionId',
  resume: 'resume',
  onError: 'onError',
  onFinish: 'onFinish',
  throttle: 'publish',
  experimental_throttle: 'publish',
};

/** The work that is left for an option. An option without a sentence needs nothing any more. */
const otherOptions = {
  sendAutomaticallyWhen: null,
  onToolCall: 'make it `execute` of a tool of the agent; runs continue by themselves.',
  transport: 'give the agent `inference: proxyInference({ url })` when the proxy is not at /api.',
  api: 'give the agent `inference: proxyInference({ url })` when the proxy is not at /api.',
  messages: 'keep conversations in a store (`sessions`), or give `initialState`.',
  initialMessages: 'keep conversations in a store (`sessions`), or give `initialState`.',
};

/** Results with another name, or with two for one. */
const renamed = {
  addToolApprovalResponse: ['approve', 'reject'],
  addToolOutput: ['respond'],
  addToolResult: ['respond'],
  append: ['sendMessage'],
  isLoading: ['isBusy'],
  reload: ['regenerate'],
  resumeStream: ['resume'],
};

const same = 'id messages status error sendMessage regenerate stop clearError setMessages'.split(' ');

/** States of a tool part. */
const states = {
  'input-streaming': 'requested',
  'input-available': 'running',
  'approval-requested': 'awaiting-approval',
  'output-available': 'completed',
  'output-error': 'failed',
  'output-denied': 'rejected',
};

const sdk = ['@ai-sdk/react', 'ai/react', 'ai'];

/** The work that is left for other names of the AI SDK. */
const otherNames = {
  Chat: 'a `Chat` outside of a component is a session: `createAgentSession({ agent })`, which `useAgent` takes by its `sessionId`.',
  DynamicToolUIPart: "the type of a call is `Extract<ChatPart, { type: 'tool-call' }>`.",
  ToolUIPart: "the type of a call is `Extract<ChatPart, { type: 'tool-call' }>`.",
  getStaticToolName: 'the name of a call is `part.toolName`.',
  getToolName: 'the name of a call is `part.toolName`.',
  getToolOrDynamicToolName: 'the name of a call is `part.toolName`.',
  isDataUIPart: "a data part has `part.type === 'data'`.",
  isFileUIPart: "a file has `part.type === 'file'`.",
  isStaticToolUIPart: "a call has `part.type === 'tool-call'`.",
  isToolOrDynamicToolUIPart: "a call has `part.type === 'tool-call'`.",
  isToolUIPart: "a call has `part.type === 'tool-call'`.",
};

/** The work that is left for types of parts. */
const otherParts = [
  [/^source-(url|document)$/, 'a source is a part `source`, with its `url` and `title`.'],
  [/^data-/, 'a data part is `data`, with its `name` and `data`.'],
  [/^tool-invocation$/, 'a call is a part `tool-call`.'],
];

/** The work that is left for members of messages and parts. */
const otherMembers = {
  content: 'a message has `parts`; its text is that of the parts `text`.',
  toolInvocations: 'calls are the parts `tool-call` of `parts`.',
  url: 'a file has its bytes as `data` (base64), or an address as `url`.',
};

module.exports = function transform({ source }, { j }) {
  const file = parsedFile(j, source);
  const hook = localNameOf(file, 'useChat');
  const work = { ...file, todos: [], added: new Map() };
  noteOthers(work);
  if (hook === null) return onlyNotes(work);
  const free = (...names) => names.find((name) => !file.taken.has(name)) ?? names.at(-1);
  const agent = free('agent', 'assistant', 'chatAgent');
  work.names = {
    ChatMessage: free('ChatMessage', 'AgentMessage'),
    defineAgent: free('defineAgent', 'defineVitrineAgent'),
    useAgent: free('useAgent', 'useVitrineAgent'),
  };

  const members = new Map();
  const calls = file.root.find(j.CallExpression, { callee: { type: 'Identifier', name: hook } });
  const results = calls.paths().map((path) => rewriteHook(work, path, agent, members));
  rewriteParts(work);
  for (const result of new Set(results)) rewriteCalls(work, result, members);
  rewriteNames(work, members);
  rewriteMessageType(work);
  return finished(parsedFile(j, file.edited()), { ...work, hook, agent, members });
};

module.exports.parser = 'tsx';

/** Notes what is left for names, parts and members of the AI SDK that have no rule. */
function noteOthers(work) {
  const { j, root, todos } = work;
  const note = (name, advice) => todos.push(`\`${name}\`: ${advice}`);
  for (const [name, advice] of Object.entries(otherNames))
    if (localNameOf(work, name) !== null) note(name, advice);
  const isOfSdk =
    root
      .find(j.ImportDeclaration)
      .filter(({ node }) => sdk.includes(node.source.value))
      .size() > 0;
  if (!isOfSdk) return;
  const texts = root
    .find(j.StringLiteral)
    .nodes()
    .map(({ value }) => value);
  for (const text of texts)
    for (const [pattern, advice] of otherParts) if (pattern.test(text)) note(text, advice);
  for (const type of [j.MemberExpression, j.OptionalMemberExpression])
    for (const { object, property } of root.find(type).nodes())
      if (isOther(object, property.name))
        note(`${object.name}.${property.name}`, otherMembers[property.name]);
}

/** True for a member of what is called a message or a part. */
function isOther(object, name) {
  const of = { content: /message|^m(sg)?$/i, toolInvocations: /./, url: /part|file|attachment/i };
  return object.type === 'Identifier' && Object.hasOwn(of, name) && of[name].test(object.name);
}

/** A file without the hook, with what is left as comments; undefined for nothing left, or when it has them. */
function onlyNotes({ todos, source }) {
  if (todos.length === 0 || source.includes('TODO(vitrine)')) return undefined;
  const [directive = ''] = /^(['"])use client\1;?\n+/.exec(source) ?? [];
  return directive + comments(todos, '') + source.slice(directive.length);
}

/** A parsed file with its edits. Of nested edits the outer one counts, which may render the nodes in it. */
function parsedFile(j, source) {
  const root = j(source);
  const edits = [];
  const render = (start, end, self) => {
    const inside = edits
      .filter((edit) => edit !== self && edit.start >= start && edit.end <= end)
      .toSorted((a, b) => a.start - b.start || b.end - a.end);
    let text = '';
    let at = start;
    for (const edit of inside) {
      if (edit.start < at) continue;
      text += source.slice(at, edit.start) + (typeof edit.text === 'function' ? edit.text(edit) : edit.text);
      at = edit.end;
    }
    return text + source.slice(at, end);
  };
  return {
    j,
    root,
    source,
    taken: namesIn(j, root),
    written: (node) => source.slice(node.start, node.end),
    edit: ({ start, end }, text) => edits.push({ start, end, text }),
    rendered: (node, self) => render(node.start, node.end, self),
    edited: () => render(0, source.length),
  };
}

/** Every name that is more than a member of something. */
function namesIn(j, root) {
  const found = root.find(j.Identifier).filter(({ name }) => name !== 'property');
  return new Set(found.nodes().map(({ name }) => name));
}

/** The name under which a file imports something of the AI SDK; null when it does not. */
function localNameOf({ root, j }, name) {
  const found = root
    .find(j.ImportSpecifier, { imported: { name } })
    .filter(({ parent }) => sdk.includes(parent.node.source.value));
  return found.size() === 0 ? null : (found.get().node.local ?? found.get().node.imported).name;
}

/** Rewrites one call of the hook. Adds the names of its results to `members`, or returns the name of the result. */
function rewriteHook(work, { node, parent }, agent, members) {
  const { edit, todos, rendered, names } = work;
  const [given] = node.arguments;
  const options = given === undefined ? [] : optionsOf(work, given);
  const before = `${names.useAgent}(${agent}${options.length === 0 ? '' : ', '}`;
  edit({ start: node.callee.start, end: given?.start ?? node.end - 1 }, before);
  if (given !== undefined && options !== given)
    edit(given, (self) =>
      options.length === 0 ? '' : `{ ${options.map((one) => rendered(one, self)).join(', ')} }`,
    );
  const target = parent.node.type === 'VariableDeclarator' ? parent.node.id : null;
  if (target?.type === 'ObjectPattern') {
    for (const { key, value } of target.properties)
      if (key !== undefined) members.set(value.left?.name ?? value.name, key.name);
    return null;
  }
  todos.push('The names of the result are those of `useAgent`.');
  return target?.name ?? null;
}

/** The properties of the options that stay. Others are quoted in a comment. */
function optionsOf({ edit, todos, written }, given) {
  if (given.type !== 'ObjectExpression') {
    todos.push('Check these options: `id` is `sessionId`, and the agent has the rest.');
    return given;
  }
  return given.properties.filter((property) => {
    const name = property.key?.name;
    if (name in sameOptions) {
      if (name === 'onFinish') todos.push('`onFinish` gets `{ turn, state }`.');
      const renamedTo = sameOptions[name];
      if (renamedTo !== name)
        edit(
          property.shorthand ? property : property.key,
          property.shorthand ? `${renamedTo}: ${name}` : renamedTo,
        );
      return true;
    }
    const advice = name in otherOptions ? otherOptions[name] : 'this option has no counterpart.';
    const code = written(property).replaceAll(`\n${' '.repeat(property.loc.start.column)}`, '\n');
    if (advice !== null) todos.push(`\`${name}\`: ${advice} It was:\n${code}`);
    return false;
  });
}

/** Rewrites what reads the parts of messages. */
function rewriteParts({ j, root, edit, todos, rendered }) {
  root.find(j.BinaryExpression).forEach(({ node, parent }) => {
    const { left, right, operator } = node;
    if (!isMember(left) || typeof right.value !== 'string' || !/^[!=]==?$/.test(operator)) return;
    const tool = /^tool-(?!call$)(.+)$/.exec(right.value)?.[1];
    const field = left.property.name;
    if (field === 'type' && tool !== undefined)
      edit(node, (self) => {
        const part = rendered(left.object, self);
        const either = operator.startsWith('=') ? '&&' : '||';
        const text = `${part}.type ${operator} 'tool-call' ${either} ${part}.toolName ${operator} '${tool}'`;
        const isBare = parent.node.type !== 'LogicalExpression' || parent.node.operator === either;
        return isBare ? text : `(${text})`;
      });
    if (field === 'type' && right.value === 'dynamic-tool') edit(right, "'tool-call'");
    if (field === 'state' && right.value in states) {
      edit(left.property, 'status');
      edit(right, `'${states[right.value]}'`);
    }
  });
  root.find(j.SwitchStatement).forEach(({ node }) => rewriteCases({ edit, todos }, node.cases));
  const isOf = (name) => (path) => path.node.property.name === name;
  const found = [j.MemberExpression, j.OptionalMemberExpression].map((type) => root.find(type));
  for (const all of found) {
    all.filter(isOf('id')).forEach(({ node }) => {
      if (isMember(node.object) && node.object.property.name === 'approval')
        edit({ start: node.object.object.end, end: node.end }, '.toolCallId');
    });
    all.filter(isOf('errorText')).forEach(({ node }) => edit(node.property, 'error?.message'));
    if (all.filter(isOf('metadata')).size() > 0)
      todos.push('`metadata` holds what you sent; `stopReason`, `usage` and `budget` come from `useAgent`.');
  }
}

/** Rewrites the cases of tools that share one body. Of several bodies a person has to make one. */
function rewriteCases({ edit, todos }, cases) {
  const ofTools = cases.filter(({ test }) => /^tool-(?!call$)|^dynamic-tool$/.test(test?.value ?? ''));
  if (ofTools.length === 0) return;
  const [first, last] = [ofTools[0], ofTools.at(-1)];
  const areTogether = cases.indexOf(last) - cases.indexOf(first) === ofTools.length - 1;
  if (areTogether && ofTools.every((one) => one === last || one.consequent.length === 0)) {
    const names = ofTools.map(({ test }) => test.value.replace('tool-', '')).join(', ');
    edit({ start: first.test.start, end: last.test.end }, "'tool-call'");
    todos.push(`\`case 'tool-call'\` was for ${names}. If the agent has more tools, check \`toolName\`.`);
  } else
    for (const { test } of ofTools)
      todos.push(`\`case '${test.value}'\` is \`case 'tool-call'\` with its \`toolName\`.`);
}

function isMember(node) {
  return node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression';
}

/** Rewrites the calls of commands: by their names, or as members of the result. */
function rewriteCalls(work, result, members) {
  const { j, root, edit, todos } = work;
  root.find(j.CallExpression).forEach((path) => {
    const { node } = path;
    const { callee } = node;
    const isOfResult = result !== null && isMember(callee) && callee.object.name === result;
    const name = isOfResult ? callee.property.name : members.get(callee.name);
    if (name === undefined) return;
    const command = (called) => (isOfResult ? `${result}.${called}` : localFor(work, members, called));
    const text = rewrittenCall(work, { name, args: node.arguments, command });
    // The `action` of a form returns nothing.
    if (text !== null) edit(node, isAction(path) ? (self) => `void ${text(self)}` : text);
    else if (isOfResult && renamed[name]?.length === 1) edit(callee.property, renamed[name][0]);
    if (name === 'setMessages')
      todos.push('`setMessages` takes messages made by `Message.user(text)` and its siblings.');
  });
}

/** True for a call that is all of a function for the `action` of a form. */
function isAction({ parent }) {
  const attribute = parent.node.type === 'ArrowFunctionExpression' ? parent.parent.parent?.node : null;
  return attribute?.type === 'JSXAttribute' && attribute.name.name === 'action';
}

/** The variable of a command; one with another name where the file has a variable of that name already. */
function localFor({ taken, added }, members, name) {
  const known = [...members].find(([, member]) => member === name)?.[0] ?? added.get(name);
  if (known !== undefined) return known;
  const local = taken.has(name) ? `agent${name[0].toUpperCase()}${name.slice(1)}` : name;
  added.set(name, local);
  return local;
}

/** The text of a call here, when it is rendered; null for a call that stays. */
function rewrittenCall(work, { name, args, command }) {
  const { rendered, todos } = work;
  const given = propertiesOf(args[0]);
  const get = (...keys) => keys.map((key) => given?.get(key)).find((value) => value !== undefined);
  if (name === 'sendMessage' || name === 'append') return sentMessage(work, { given, get, args, command });
  if (name === 'regenerate' && get('messageId') !== undefined)
    return (self) => `${command(name)}(${rendered(get('messageId'), self)})`;
  if (name === 'addToolOutput' || name === 'addToolResult') {
    const [id, output] = [get('toolCallId'), get('output', 'result')];
    if (id !== undefined && output !== undefined)
      return (self) => `${command('respond')}(${rendered(id, self)}, ${rendered(output, self)})`;
    todos.push('Answer a call with `respond(toolCallId, output)`, or refuse it with `reject(toolCallId)`.');
  }
  return name === 'addToolApprovalResponse' ? approval(work, get, command) : null;
}

function sentMessage({ rendered, written, todos }, { given, get, args, command }) {
  const text = get('text', 'content');
  if (given === null) return null;
  if (text === undefined) {
    todos.push('Send `sendMessage(text)` or `sendMessage({ text, files, data })`.');
    return null;
  }
  const model = args[1] && propertiesOf(propertiesOf(args[1])?.get('body'))?.get('model');
  if (model !== undefined) todos.push('A model is named `provider:model`, as a string.');
  else if (args[1] !== undefined)
    todos.push(`The option of a message is \`model\`. The options were:\n${written(args[1])}`);
  const more = (self) => (model === undefined ? '' : `, { model: ${rendered(model, self)} }`);
  const id = get('messageId');
  const message = given.has('files') ? args[0] : text;
  if (given.has('files')) todos.push('`files` are `File` or `Blob` objects.');
  if (id === undefined) return (self) => `${command('sendMessage')}(${rendered(message, self)}${more(self)})`;
  return (self) => `${command('edit')}(${rendered(id, self)}, ${rendered(text, self)}${more(self)})`;
}

function approval({ todos, rendered }, get, command) {
  const [id, approved, reason] = ['id', 'approved', 'reason'].map((key) => get(key));
  if (id === undefined || approved === undefined) {
    todos.push('Answer an approval with `approve(toolCallId)` or `reject(toolCallId, { reason })`.');
    return null;
  }
  todos.push('`approve` and `reject` take the `toolCallId` of the part: check what is passed here.');
  const yes = (self) => `${command('approve')}(${rendered(id, self)})`;
  const why = (self) => (reason === undefined ? '' : `, { reason: ${rendered(reason, self)} }`);
  const no = (self) => `${command('reject')}(${rendered(id, self)}${why(self)})`;
  if (typeof approved.value === 'boolean') return approved.value ? yes : no;
  return (self) => `(${rendered(approved, self)} ? ${yes(self)} : ${no(self)})`;
}

function propertiesOf(node) {
  if (node?.type !== 'ObjectExpression') return null;
  return new Map(node.properties.map(({ key, value }) => [key?.name, value]));
}

/** Renames results where they are read. */
function rewriteNames(work, members) {
  const { j, root, edit } = work;
  for (const [local, name] of members) {
    if (renamed[name]?.length !== 1) continue;
    const [instead] = renamed[name];
    const to = localFor(work, members, instead);
    root
      .find(j.Identifier, { name: local })
      .filter(({ parent, name: place }) => place !== 'property' || parent.node.computed)
      .forEach(({ node, parent, name: place }) => {
        const isShorthand = parent.node.type.endsWith('Property') && parent.node.shorthand;
        if (place !== 'key' || isShorthand) edit(node, isShorthand ? `${local}: ${to}` : to);
      });
  }
}

function rewriteMessageType(work) {
  const name = localNameOf(work, 'UIMessage');
  if (name === null) return;
  work.root
    .find(work.j.TSTypeReference, { typeName: { name } })
    .forEach(({ node }) => work.edit(node.typeName, work.names.ChatMessage));
}

/** The second pass: imports, the names that components take from the result, the agent, and the comments. */
function finished(file, { hook, agent, members, added, todos, names }) {
  const { j, root, edit, edited } = file;
  const calls = root.find(j.CallExpression, { callee: { name: names.useAgent } }).paths();
  for (const path of calls) {
    const target = path.parent.node.id;
    if (target?.type === 'ObjectPattern') rewritePattern({ ...file, todos }, target, members, added);
  }
  const first = statementOf(calls[0]);
  const indent = ' '.repeat(first.loc.start.column);
  edit({ start: first.start, end: first.start }, comments(todos, indent));
  const last = rewriteImports(file, hook, names);
  const definition = `\n\n${comments(agentTodos, '')}const ${agent} = ${names.defineAgent}({ name: 'chat' });`;
  edit({ start: last.end, end: last.end }, definition);
  return edited();
}

function statementOf(path) {
  let statement = path;
  while (!/Statement|VariableDeclaration$/.test(statement.node.type)) statement = statement.parent;
  return statement.node;
}

/** Rewrites the names that a component takes from the result. */
function rewritePattern(file, pattern, members, added) {
  const { edit, todos, written } = file;
  const kept = pattern.properties.filter((property) => {
    const name = property.key?.name;
    const [instead] = renamed[name] ?? [];
    if (instead !== undefined) return false;
    if (name !== undefined && !same.includes(name))
      todos.push(`\`${name}\` has no counterpart in \`useAgent\`.`);
    return !same.includes(name) || isUsed(file, property.value.left?.name ?? property.value.name);
  });
  const more = [...added]
    .filter(([, local]) => isUsed(file, local))
    .map(([name, local]) => (name === local ? name : `${name}: ${local}`));
  if (more.length > 0 || kept.length < pattern.properties.length)
    edit(pattern, `{ ${[...kept.map(written), ...more].join(', ')} }`);
}

/** True for a name that is read or written somewhere beside imports and the pattern that declares it. */
function isUsed({ root, j }, name) {
  const found = root.find(j.Identifier, { name }).filter(({ parent, name: place }) => {
    if (parent.node.type.startsWith('Import')) return false;
    const isOfPattern = parent.node.type.endsWith('Property') && parent.parent.node.type === 'ObjectPattern';
    return !isOfPattern && (place !== 'property' || parent.node.computed);
  });
  return found.size() + root.find(j.JSXIdentifier, { name }).size() > 0;
}

/** Imports from here what came from there, and drops unused imports. Returns the last import that is left. */
function rewriteImports(file, hook, local) {
  const { root, j, edit, written } = file;
  const { ChatMessage, defineAgent, useAgent } = local;
  const imported = (name, as) => (name === as ? name : `${name} as ${as}`);
  const names = [
    ...(isUsed(file, ChatMessage) ? [`type ${imported('ChatMessage', ChatMessage)}`] : []),
    imported('defineAgent', defineAgent),
    imported('useAgent', useAgent),
  ];
  const ours = `import { ${names.join(', ')} } from '@vitrine/react';`;
  let last = null;
  for (const node of root.find(j.ImportDeclaration).nodes()) {
    const from = node.source.value;
    const before = last;
    last = node;
    const isTypes = node.importKind === 'type' && from.startsWith('.');
    if (!sdk.includes(from) && !isTypes) continue;
    const isHook = from !== 'ai' && node.specifiers.some(({ local }) => local.name === hook);
    const kept = node.specifiers.filter(({ local }) => isUsed(file, local.name));
    if (kept.length === node.specifiers.length) continue;
    const type = node.importKind === 'type' ? 'type ' : '';
    const rest = kept.length === 0 ? '' : `import ${type}{ ${kept.map(written).join(', ')} } from '${from}';`;
    const text = [isHook ? ours : '', rest].filter((line) => line !== '').join('\n');
    edit(text === '' ? { start: node.start, end: node.end + 1 } : node, text);
    if (text === '') last = before;
  }
  return last;
}

const agentTodos = [
  'Move the system prompt, the tools and the model of your route into this agent.',
  'The proxy of @vitrine/proxy takes the place of the route.',
];

/** What is left to do, as comments, each sentence once. */
function comments(todos, indent) {
  const lines = [...new Set(todos)].flatMap((todo) => {
    const [first, ...more] = todo.split('\n');
    return [`// TODO(vitrine): ${first}`, ...more.map((line) => `//   ${line.trimEnd()}`)];
  });
  return lines.map((line) => `${line}\n${indent}`).join('');
}
