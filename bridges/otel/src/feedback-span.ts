import { context, type HrTime, type Link, type Tracer } from '@opentelemetry/api';
import type { Message } from '@vitrine/core/internal/graph/message';
import { attributeText } from './content.ts';
import * as openInference from './open-inference.ts';
import type { SpanWords } from './span-attributes.ts';

export type LastRun = { readonly executionId: string | undefined; readonly link: Link } | null;

/** Makes a span of no length for a person's feedback on an answer, with a link to its run while that is the last one. */
export function traceFeedback(
  tracer: Tracer,
  words: SpanWords,
  { id, metadata }: Message,
  { sessionId, run, at }: { readonly sessionId: string; readonly run: LastRun; readonly at: HrTime },
): void {
  const { feedback: rating, feedback_text: text } = metadata;
  if (rating !== 'up' && rating !== 'down') return;
  const links = run !== null && run.executionId === metadata['execution_id'] ? [run.link] : [];
  const attributes = {
    'gen_ai.conversation.id': sessionId,
    'gen_ai.evaluation.name': 'feedback',
    'gen_ai.evaluation.score.label': rating,
    'gen_ai.evaluation.score.value': rating === 'up' ? 1 : 0,
    'vitrine.message_id': id,
    ...(words.content && text ? { 'gen_ai.evaluation.explanation': attributeText(text, 'feedback') } : {}),
    ...(words.openInference ? openInference.kindAttributes('EVALUATOR', sessionId) : {}),
  };
  tracer.startSpan('feedback', { startTime: at, attributes, links }, context.active()).end(at);
}
