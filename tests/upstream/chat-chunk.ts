/** A piece of an answer, as providers send it that speak the OpenAI protocol. */
export function chunk(content: string): string {
  const choices = [{ index: 0, delta: { content } }];
  return `data: ${JSON.stringify({ id: 'x', model: 'm', choices })}\n\n`;
}
