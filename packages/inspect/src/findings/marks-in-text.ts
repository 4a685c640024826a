import { text } from '@vitrine/core/internal/graph/message';
import { defineDetector } from './detector.ts';

/** Marks of thoughts and of calls in the templates of models; people do not write them. */
const thoughts = /<\/?think>|\[\/?THINK\]/;
const calls =
  /<\/?tool_call>|<function=|\[TOOL_CALLS\]|<\|\/?tool_call|<\|(?:python_tag|channel|message|call|start|end|im_start|im_end|eot_id|eom_id)\|>|<｜tool▁call/;

/** Marks of a template in an answer, which its server should have read. */
export const marksInText = defineDetector({
  code: 'marks-in-text',
  area: 'model',
  severity: 'warning',
  finds:
    'Marks of a template in an answer, such as `</think>` or `<tool_call>`, which the server of the model left there.',
  reads: { 'inference-end': ['response'] },
  watch:
    () =>
    ({ event, step }) => {
      const said = withoutCode((step?.outputMessages ?? []).map(text).join('\n'));
      const call = calls.exec(said)?.[0];
      const mark = call ?? thoughts.exec(said)?.[0];
      if (mark === undefined) return null;
      const { model } = event.response;
      return {
        sentence: `The answer${model === null ? '' : ` of ${model}`} has the mark ${mark} of its template: ${call === undefined ? 'a thought stands in the text' : 'a call may stand in the text, and was not run'}.`,
        remedy:
          call === undefined
            ? 'Let the server read thoughts (vLLM: --reasoning-parser, llama.cpp: --reasoning-format), or set OPENAI_COMPATIBLE_THINK=tag, or open for models that write only the last tag.'
            : 'Let the server read calls: llama-server --jinja, vLLM --enable-auto-tool-choice --tool-call-parser, SGLang --tool-call-parser.',
        evidence: { mark, model },
      };
    },
});

/** The text without code, in which marks are quoted. */
function withoutCode(whole: string): string {
  const outside = (one: string, mark: string): string =>
    one
      .split(mark)
      .filter((_, at) => at % 2 === 0)
      .join(' ');
  return outside(outside(whole, '```'), '`');
}
