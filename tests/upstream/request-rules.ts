// oxlint-disable-next-line typescript/no-explicit-any -- the wire formats of several providers, read as they come
type Body = any;

/** The published rules of an API for requests; null for a request that keeps them, otherwise the broken one. */
export type RequestRules = (body: Body, raw: string) => string | null;

/** The first broken rule; a rule that cannot be asked is broken. */
function firstOf(body: Body, raw: string, rules: Generator<string | false>): string | null {
  if (/(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/i.test(raw) || /\p{Surrogate}/u.test(raw))
    return 'half a surrogate pair';
  for (const broken of rules) if (broken !== false) return broken;
  return body === undefined ? 'no body' : null;
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === '';

function* schemaRules(name: string, schema: Body): Generator<string | false> {
  yield schema?.type !== 'object' && `tool ${name}: the schema has to be of type object, not ${schema?.type}`;
  yield !isObject(schema.properties) && `tool ${name}: object schema missing properties`;
  for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'not'])
    yield schema[keyword] !== undefined && `tool ${name}: ${keyword} at the top level`;
  yield* innerRules(name, schema, schema);
}

const schemaTypes = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** JSON Schema 2020-12, as far as APIs check it, and `items` for each list. */
function* innerRules(name: string, schema: Body, root: Body): Generator<string | false> {
  const {
    type,
    items,
    required = [],
    $ref,
    exclusiveMinimum,
    exclusiveMaximum,
    description,
    ...rest
  } = schema;
  const kinds = [type ?? []].flat();
  const at = `tool ${name}, at ${JSON.stringify(schema).slice(0, 80)}`;
  yield kinds.some((kind: Body) => !schemaTypes.includes(kind)) && `${at}: the type ${type}`;
  yield kinds.includes('array') && !isObject(items) && `${at}: array schema missing items`;
  yield Array.isArray(items) && `${at}: a list of items`;
  yield (!Array.isArray(required) || new Set(required).size < required.length) && `${at}: required`;
  yield description !== undefined && typeof description !== 'string' && `${at}: the description`;
  yield [exclusiveMinimum, exclusiveMaximum].some((bound) => typeof bound === 'boolean') && `${at}: a bound`;
  yield rest.enum !== undefined && rest.enum.length === 0 && `${at}: enum`;
  const target = $ref
    ?.split('/')
    .slice(1)
    .reduce((inner: Body, key: string) => inner?.[key], root);
  yield $ref !== undefined && !isObject(target) && `${at}: can't resolve ${$ref}`;
  for (const key of Object.keys(schema.properties ?? {}))
    yield !isObject(schema.properties[key]) && `${at}: the property ${key} is no schema`;
  yield (
    required.some((key: string) => schema.properties && !Object.hasOwn(schema.properties, key)) &&
    `${at}: property is not defined`
  );
  const inner = ['properties', 'patternProperties', '$defs', 'definitions'].flatMap((key) =>
    Object.values(rest[key] ?? {}),
  );
  const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) => rest[key] ?? []);
  for (const one of [items, ...inner, ...lists]) if (isObject(one)) yield* innerRules(name, one, root);
}

function* nameRules(names: readonly string[], pattern: RegExp): Generator<string | false> {
  for (const name of names)
    yield !pattern.test(name) && `the tool name ${JSON.stringify(name)} has a wrong form`;
  yield new Set(names).size < names.length && 'two tools of one name';
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A picture in base64 has to be what its type says. */
const beginnings: Readonly<Record<string, string>> = {
  'image/png': 'iVBORw0KGgo',
  'image/jpeg': '/9j/',
  'image/gif': 'R0lGOD',
  'image/webp': 'UklGR',
  'application/pdf': 'JVBERi0',
};

function wrongBytes(type: string, data: string): string | false {
  const begin = beginnings[type];
  return begin !== undefined && !data.startsWith(begin) && `the bytes are no ${type}`;
}

/** Anthropic's messages: docs.claude.com/en/api/messages, and its pages on tools, vision, PDFs and thinking. */
export const anthropicRules: RequestRules = (body, raw) => firstOf(body, raw, anthropic(body));

function* anthropic({ messages, tools = [], system }: Body): Generator<string | false> {
  yield* nameRules(
    tools.map(({ name }: Body) => name),
    /^[a-zA-Z0-9_-]{1,128}$/,
  );
  for (const { name, input_schema: schema } of tools) {
    yield* schemaRules(name, schema);
    for (const key of Object.keys(schema.properties))
      yield (
        !/^[a-zA-Z0-9_.-]{1,64}$/.test(key) && `input_schema.properties: Property keys should match pattern`
      );
  }
  for (const { text } of system ?? []) yield isBlank(text) && 'system: text content blocks must be non-empty';
  yield messages.length === 0 && 'messages: at least one message is required';
  yield messages[0].role !== 'user' && 'messages: first message must use the user role';
  yield messages.at(-1).role !== 'user' && 'the model does not support assistant message prefill';
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    yield !['user', 'assistant'].includes(role) && `messages.${index}: the role is ${role}`;
    yield content.length === 0 && `messages.${index}: all messages must have non-empty content`;
    const results: string[] = [];
    for (const block of content) {
      if (block.type === 'tool_use') {
        yield !/^[a-zA-Z0-9_-]+$/.test(block.id) && `tool_use.id ${block.id}: String should match pattern`;
        yield !/^[a-zA-Z0-9_-]{1,200}$/.test(block.name) && `tool_use.name ${block.name}: wrong form`;
        yield !isObject(block.input) && 'tool_use.input: Input should be a valid dictionary';
        yield ids.has(block.id) && 'tool_use ids must be unique';
        ids.add(block.id);
      } else if (block.type === 'tool_result') {
        results.push(block.tool_use_id);
        yield role !== 'user' && 'tool_result blocks can only be in user messages';
        if (Array.isArray(block.content)) for (const inner of block.content) yield* anthropicBlock(inner);
      } else yield* anthropicBlock(block);
    }
    yield results.some((id) => !open.includes(id)) && `messages.${index}: unexpected tool_use_id`;
    yield open.some((id) => !results.includes(id)) && 'tool_use ids were found without tool_result blocks';
    const firstOther = content.findIndex(({ type }: Body) => type !== 'tool_result');
    const isMixed =
      firstOther >= 0 && content.slice(firstOther).some(({ type }: Body) => type === 'tool_result');
    yield isMixed && 'tool_result blocks have to come first';
    yield (
      role === 'assistant' &&
      /thinking/.test(content.at(-1).type) &&
      'the final block in an assistant message cannot be thinking'
    );
    open = content.flatMap(({ type, id }: Body) => (type === 'tool_use' ? [id] : []));
  }
}

function* anthropicBlock({ type, text, source, signature }: Body): Generator<string | false> {
  if (type === 'text') yield isBlank(text) && 'text content blocks must contain non-whitespace text';
  else if (type === 'image') {
    if (source.type !== 'base64') return;
    yield !pictureTypes.includes(source.media_type) && `an image of type ${source.media_type}`;
    yield wrongBytes(source.media_type, source.data);
  } else if (type === 'document') {
    yield source.type === 'base64' && source.media_type !== 'application/pdf' && 'a document that is no PDF';
    yield source.type === 'base64' && wrongBytes(source.media_type, source.data);
  } else if (type === 'thinking') yield isBlank(signature) && 'thinking without a signature';
  else if (type !== 'redacted_thinking') yield `a block of type ${type}`;
}

/** OpenAI's chat completions: platform.openai.com/docs/api-reference/chat, and its page on function calling. */
export const completionsRules: RequestRules = (body, raw) => firstOf(body, raw, completions(body));

function* completions({ messages, tools = [] }: Body): Generator<string | false> {
  yield* nameRules(
    tools.map((tool: Body) => tool.function.name),
    /^[a-zA-Z0-9_-]{1,64}$/,
  );
  for (const tool of tools) yield* schemaRules(tool.function.name, tool.function.parameters);
  yield messages.length === 0 && "[] is too short - 'messages'";
  let open: string[] = [];
  for (const { role, content, tool_calls: calls = [], tool_call_id: id } of messages) {
    if (role === 'tool') {
      yield !open.includes(id) && 'a message of the role tool has to follow its tool_calls';
      yield typeof content !== 'string' && 'the content of a result has to be text';
      open = open.filter((other) => other !== id);
      continue;
    }
    yield open.length > 0 && `tool_calls without answers: ${open}`;
    open = calls.map((call: Body) => call.id);
    for (const call of calls) yield* functionRules(call.function.name, call.function.arguments, call.id);
    if (role === 'user') yield* wordRules(content);
    else yield calls.length === 0 && isBlank(content) && `an empty message of the role ${role}`;
  }
  yield open.length > 0 && `tool_calls without answers: ${open}`;
}

function* functionRules(name: string, input: string, id: string): Generator<string | false> {
  yield (
    !/^[a-zA-Z0-9_-]{1,64}$/.test(name) && `function.name ${JSON.stringify(name)} does not match the pattern`
  );
  yield (id.length === 0 || id.length > 64) && `a call id of ${id.length} characters`;
  let value: unknown = null;
  try {
    value = JSON.parse(input);
  } catch {}
  yield !isObject(value) && `arguments are no object: ${input}`;
}

function* wordRules(content: Body): Generator<string | false> {
  if (typeof content === 'string') return yield isBlank(content) && 'an empty message of a person';
  yield content.length === 0 && 'an empty message of a person';
  for (const { type, text, image_url: image, file } of content) {
    if (type === 'text') yield isBlank(text) && 'an empty text';
    else if (type === 'image_url') yield* addressRules(image.url, pictureTypes);
    else if (type === 'file') yield* addressRules(file.file_data, ['application/pdf']);
    else yield `content of type ${type}`;
  }
}

function* addressRules(address: string, types: readonly string[]): Generator<string | false> {
  if (address.startsWith('https://')) return;
  const [head = '', data = ''] = address.split(';base64,');
  const type = head.replace('data:', '');
  yield !types.includes(type) && `a file of type ${type}`;
  yield wrongBytes(type, data);
}

/** OpenAI's responses: platform.openai.com/docs/api-reference/responses. */
export const responsesRules: RequestRules = (body, raw) => firstOf(body, raw, responses(body));

function* responses({ input, tools = [] }: Body): Generator<string | false> {
  yield* nameRules(
    tools.map(({ name }: Body) => name),
    /^[a-zA-Z0-9_-]{1,64}$/,
  );
  for (const { name, parameters } of tools) yield* schemaRules(name, parameters);
  yield input.length === 0 && 'input is empty';
  const calls = new Set<string>();
  const answered = new Set<string>();
  for (const [index, item] of input.entries()) {
    if (item.type === 'function_call') {
      yield* functionRules(item.name, item.arguments, item.call_id);
      yield calls.has(item.call_id) && `two calls of the id ${item.call_id}`;
      calls.add(item.call_id);
    } else if (item.type === 'function_call_output') {
      yield !calls.has(item.call_id) && `no tool call found for the output with call_id ${item.call_id}`;
      answered.add(item.call_id);
      yield* contentRules(item.output);
    } else if (item.type === 'reasoning')
      yield index === input.length - 1 && 'reasoning without its following item';
    else yield* contentRules(item.content);
  }
  yield [...calls].some((id) => !answered.has(id)) && 'no tool output found for a function call';
}

function* contentRules(content: Body): Generator<string | false> {
  if (typeof content === 'string') return yield isBlank(content) && 'empty content';
  yield content.length === 0 && 'empty content';
  for (const part of content) {
    if (part.type === 'input_text') yield isBlank(part.text) && 'an empty text';
    else if (part.type === 'input_image') yield* addressRules(part.image_url, pictureTypes);
    else if (part.type === 'input_file') {
      yield* addressRules(part.file_data ?? part.file_url, ['application/pdf']);
      yield part.file_data !== undefined && isBlank(part.filename) && 'a file without a name';
    } else yield `content of type ${part.type}`;
  }
}

/** Google's generateContent: ai.google.dev/api/generate-content, and its pages on function calling and files. */
export const googleRules: RequestRules = (body, raw) => firstOf(body, raw, google(body));

const googleTypes =
  'image/png image/jpeg image/webp image/heic image/heif application/pdf audio/wav audio/mpeg audio/aiff audio/aac audio/ogg audio/flac video/mp4 video/mpeg video/quicktime video/webm video/3gpp'.split(
    ' ',
  );

function* google({ contents, tools = [], systemInstruction }: Body): Generator<string | false> {
  const functions = tools.flatMap((tool: Body) => tool.functionDeclarations ?? []);
  const pattern = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
  yield* nameRules(
    functions.map(({ name }: Body) => name),
    pattern,
  );
  for (const { name, parametersJsonSchema: schema } of functions) yield* schemaRules(name, schema);
  for (const { text } of systemInstruction?.parts ?? []) yield isBlank(text) && 'an empty instruction';
  yield contents.length === 0 && 'contents are not specified';
  yield contents[0].role !== 'user' && 'the first turn has to be of the user';
  yield contents.at(-1).role !== 'user' && 'the last turn has to be of the user';
  let asked: string[] = [];
  for (const { role, parts } of contents) {
    yield parts.length === 0 && 'contents.parts must not be empty';
    const calls = parts.flatMap((part: Body) => (part.functionCall ? [part.functionCall] : []));
    const results = parts.flatMap((part: Body) => (part.functionResponse ? [part.functionResponse] : []));
    const names = results.map(({ name }: Body) => name);
    yield (
      names.join() !== asked.join() &&
      `function responses (${names}) have to be those of the function calls (${asked})`
    );
    asked = calls.map(({ name }: Body) => name);
    for (const { name, args } of calls) {
      yield role !== 'model' && 'a function call of the user';
      yield !pattern.test(name) && `the function name ${name} has a wrong form`;
      yield !isObject(args) && 'arguments have to be an object';
    }
    for (const part of [...parts, ...results.flatMap((result: Body) => result.parts ?? [])]) {
      const { text, inlineData, thoughtSignature } = part;
      if (text !== undefined) yield text === '' && thoughtSignature === undefined && 'an empty text';
      if (inlineData === undefined) continue;
      yield !googleTypes.includes(inlineData.mimeType) && `Unsupported MIME type: ${inlineData.mimeType}`;
      yield wrongBytes(inlineData.mimeType, inlineData.data);
    }
  }
}

/**
 * Servers with a chat template: those of Llama, Gemma, Mistral and Qwen on Hugging Face raise exceptions for each of
 * these, and Mistral's API for its ids.
 */
export const templateRules: RequestRules = (body, raw) => firstOf(body, raw, template(body));

function* template(body: Body): Generator<string | false> {
  yield* completions(body);
  const { messages } = body;
  let before = 'system';
  for (const [index, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    yield role === 'system' && index > 0 && 'the system message has to be the first one';
    yield (
      role === 'user' && !['system', 'assistant'].includes(before) && `a user message behind one of ${before}`
    );
    yield (
      role === 'assistant' && !['user', 'tool'].includes(before) && `an answer behind a message of ${before}`
    );
    yield role === 'assistant' && index === messages.length - 1 && 'the last message is an answer';
    yield role === 'tool' && isBlank(content) && 'an empty result';
    for (const { id } of calls)
      yield (
        !/^[a-zA-Z0-9]{9}$/.test(id) && `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9`
      );
    yield (
      Array.isArray(content) &&
      content.every(({ type }: Body) => type === 'text') &&
      'a list of texts where one text would do'
    );
    before = role;
  }
}
