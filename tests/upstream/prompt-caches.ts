// oxlint-disable typescript/no-explicit-any, typescript/explicit-function-return-type -- bodies of four wires, read as their providers would
// Prompt caches of providers as pure rules over the JSON bodies on the wire. Sources: Anthropic's caching skill
// (anthropics/skills, claude-api/shared/prompt-caching.md), OpenAI's prompt caching guide, DeepSeek's kv_cache guide.
// A token is four characters. Time is given, so that lifetimes can be tested.

export type Block = {
  text: string;
  tier: 'tools' | 'system' | 'messages';
  mark: string | null;
  turn: string;
};
export type Counted = {
  read: number;
  write: number;
  plain: number;
  total: number;
  long?: number;
  marks: number;
  broken: string | null;
};
export type Cache = { take: (body: any, now: number) => Counted };

const tokens = (length: number): number => Math.ceil(length / 4);
const bare = ({ cache_control: _1, prompt_cache_breakpoint: _2, ...rest }: any): any => rest;

/** The blocks of an Anthropic body, in the order in which they are rendered. */
function blocksOfAnthropic(body: any): Block[] {
  const ttl = (b: any): string | null => (b.cache_control ? (b.cache_control.ttl ?? '5m') : null);
  const tools = (body.tools ?? []).map((t: any) => ({
    text: JSON.stringify(bare(t)),
    tier: 'tools',
    mark: ttl(t),
    turn: '',
  }));
  const list = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : (body.system ?? []);
  const system = list.map((b: any) => ({
    text: JSON.stringify(bare(b)),
    tier: 'system',
    mark: ttl(b),
    turn: '',
  }));
  const settings = JSON.stringify([body.tool_choice, body.thinking, body.output_config]);
  const messages = body.messages.flatMap((m: any, at: number) => {
    const content = typeof m.content === 'string' ? [{ type: 'text', text: m.content }] : m.content;
    return content.map((b: any, i: number) => ({
      text: (at === 0 && i === 0 ? settings : '') + (i === 0 ? m.role : '') + JSON.stringify(bare(b)),
      tier: 'messages',
      mark: ttl(b),
      turn: m.role,
    }));
  });
  const blocks: Block[] = [...tools, ...system, ...messages];
  // Automatic caching: the marker on the last block.
  const last = blocks.at(-1);
  if (body.cache_control && last && last.mark === null) last.mark = body.cache_control.ttl ?? '5m';
  return blocks;
}

/** The content of one text, which providers read as that text. */
const plain = (content: any[]): unknown => (content.length === 1 ? (content[0].text ?? content) : content);

/** The blocks of a body of OpenAI's Responses API or of a chat completion. */
function blocksOfOpenAI(body: any): Block[] {
  const head = {
    text: JSON.stringify([
      body.tools ?? [],
      body.text?.format ?? body.response_format ?? null,
      body.instructions ?? '',
    ]),
    tier: 'tools',
    mark: null,
    turn: '',
  } as Block;
  const items = body.input ?? body.messages;
  return [
    head,
    ...items.map((item: any) => {
      const content = Array.isArray(item.content)
        ? item.content
        : Array.isArray(item.output)
          ? item.output
          : [];
      const mark = content.some((c: any) => c.prompt_cache_breakpoint) ? '30m' : null;
      const shown = Array.isArray(item.content) ? { ...item, content: plain(item.content.map(bare)) } : item;
      return {
        text: JSON.stringify(shown),
        tier: item.role === 'system' || item.role === 'developer' ? 'system' : 'messages',
        mark,
        turn: item.role ?? item.type,
      };
    }),
  ];
}

/** The blocks of a body in the order in which caches read them. */
export function blocksOf(body: any, isAnthropic: boolean): Block[] {
  return isAnthropic ? blocksOfAnthropic(body) : blocksOfOpenAI(body);
}

const life: Record<string, number> = { '5m': 300_000, '30m': 1_800_000, '1h': 3_600_000 };

/** The place at which two lists of blocks part, for reports. */
function partedAt(before: Block[] | undefined, now: Block[]): string | null {
  if (before === undefined) return null;
  const at = before.findIndex((b, i) => now[i]?.text !== b.text);
  return at < 0 ? null : `${before[at]!.tier} (block ${at} of ${before.length})`;
}

/** Anthropic: entries are written at marks only and found within 20 blocks before a mark. */
export function anthropicCache(): Cache {
  const entries = new Map<string, { at: number; ttl: string }>();
  let before: Block[] | undefined;
  return {
    take(body, now) {
      const minimum = /haiku-4-5|opus-4-[56]/.test(body.model) ? 4096 : 1024;
      const blocks = blocksOfAnthropic(body);
      const ends: { key: string; tokens: number }[] = [];
      let text = `${body.model}|`;
      for (const b of blocks) {
        text += b.text + '\n';
        ends.push({ key: text, tokens: tokens(text.length) });
      }
      const marks = blocks.flatMap((b, i) => (b.mark === null ? [] : [i]));
      if (marks.length > 4) throw new Error(`400: ${marks.length} cache_control blocks`);
      let hit = -1;
      for (const m of marks)
        for (let i = m; i >= 0 && i > m - 20; i--) {
          const known = entries.get(ends[i]!.key);
          if (known && now - known.at < life[known.ttl]!) {
            if (i > hit) hit = i;
            known.at = now;
            break;
          }
        }
      const read = hit < 0 ? 0 : ends[hit]!.tokens;
      const lastMark = marks.at(-1) ?? -1;
      const upTo = lastMark < 0 || ends[lastMark]!.tokens < minimum ? read : ends[lastMark]!.tokens;
      for (const m of marks)
        if (ends[m]!.tokens >= minimum) entries.set(ends[m]!.key, { at: now, ttl: blocks[m]!.mark! });
      const total = ends.at(-1)!.tokens;
      const broken = partedAt(before, blocks);
      before = blocks;
      // What a mark of an hour writes costs 2 instead of 1.25.
      const lastLong = marks.filter((m) => blocks[m]!.mark === '1h').at(-1) ?? -1;
      const long = lastLong < 0 ? 0 : Math.max(0, Math.min(ends[lastLong]!.tokens, upTo) - read);
      return {
        read,
        write: Math.max(0, upTo - read),
        plain: total - Math.max(upTo, read),
        total,
        long,
        marks: marks.length,
        broken,
      };
    },
  };
}

/** OpenAI before GPT-5.6: the longest known prefix, in steps of 128 tokens from 1,024; writes are free. */
export function prefixCache(minimum = 1024, step = 128, lifeMs = 600_000): Cache {
  const known: { text: string; at: number; scope: string }[] = [];
  let before: Block[] | undefined;
  return {
    take(body, now) {
      const blocks = blocksOfOpenAI(body);
      const text = blocks.map((b) => b.text).join('\n');
      const scope = String(body.model);
      let longest = 0;
      for (const k of known) {
        if (k.scope !== scope || now - k.at >= lifeMs) continue;
        let i = 0;
        while (i < text.length && text[i] === k.text[i]) i++;
        if (i > longest) longest = i;
      }
      known.push({ text, at: now, scope });
      const total = tokens(text.length);
      const got = Math.floor(longest / 4 / step) * step;
      const read = got < minimum ? 0 : Math.min(got, total);
      const broken = partedAt(before, blocks);
      before = blocks;
      return { read, write: 0, plain: total - read, total, marks: 0, broken };
    },
  };
}

/** GPT-5.6 and later: entries at breakpoints only (explicit ones, and an implicit one at the last message that is no answer). */
export function breakpointCache(minimum = 1024): Cache {
  const entries = new Map<string, { at: number }>();
  let before: Block[] | undefined;
  return {
    take(body, now) {
      const blocks = blocksOfOpenAI(body);
      const ends: { key: string; tokens: number }[] = [];
      let text = `${body.model}|`;
      for (const b of blocks) {
        text += b.text + '\n';
        ends.push({ key: text, tokens: tokens(text.length) });
      }
      const explicit = blocks.flatMap((b, i) => (b.mark === null ? [] : [i])).slice(-3);
      const implicit =
        body.prompt_cache_options?.mode === 'explicit'
          ? -1
          : blocks.findLastIndex(
              (b) => b.turn === 'user' || b.turn === 'tool' || b.turn === 'function_call_output',
            );
      const writes = [...new Set([...explicit, ...(implicit < 0 ? [] : [implicit])])].sort((a, b) => a - b);
      let hit = -1;
      for (let i = ends.length - 1; i >= 0 && hit < 0; i--) {
        const known = entries.get(ends[i]!.key);
        if (known && now - known.at < life['30m']!) {
          hit = i;
          known.at = now;
        }
      }
      const read = hit < 0 ? 0 : ends[hit]!.tokens;
      const lastMark = writes.at(-1) ?? -1;
      const upTo = lastMark < 0 || ends[lastMark]!.tokens < minimum ? read : ends[lastMark]!.tokens;
      for (const m of writes) if (ends[m]!.tokens >= minimum) entries.set(ends[m]!.key, { at: now });
      const total = ends.at(-1)!.tokens;
      const broken = partedAt(before, blocks);
      before = blocks;
      return {
        read,
        write: Math.max(0, upTo - read),
        plain: total - Math.max(upTo, read),
        total,
        marks: explicit.length,
        broken,
      };
    },
  };
}

/** DeepSeek: whole requests (and their answers) are units; a request reads the longest unit that it begins with. */
export function unitCache(): Cache {
  const known: { texts: string[]; scope: string }[] = [];
  let before: Block[] | undefined;
  return {
    take(body) {
      const blocks = blocksOfOpenAI(body);
      const texts = blocks.map((b) => b.text);
      let read = 0;
      for (const k of known) {
        if (k.scope !== String(body.model) || !k.texts.every((t, i) => texts[i] === t)) continue;
        let end = k.texts.length; // its answer is a unit too
        while (blocks[end] && ['assistant', 'reasoning', 'function_call'].includes(blocks[end]!.turn)) end++;
        read = Math.max(read, Math.floor(texts.slice(0, end).join('\n').length / 4 / 64) * 64);
      }
      known.push({ texts, scope: String(body.model) });
      const total = tokens(texts.join('\n').length);
      const broken = partedAt(before, blocks);
      before = blocks;
      return { read, write: 0, plain: total - read, total, marks: 0, broken };
    },
  };
}
